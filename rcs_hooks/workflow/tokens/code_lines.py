"""The pattern of a line of code, of a shell or of a compiler.

It takes a millisecond and a half to compile, so it has a file of its own, which few prompts load.
"""

from __future__ import annotations

from rcs_hooks.workflow.tokens.patterns import pattern

CODE = pattern(
    r"""(?xi)(?![ \t]*\$[\w-]+,?[ ]+[A-Za-z])(?:[^\n]*(?:\{|[;)][ ]?\})[ \t]*$  # a block opens or ends,
      | [^\n]*(?:(?<!use[ ])(?<!with[ ])(?<!run[ ])\$\w+|[)\]])[ \t]*;[ \t]*$  # a statement ends
      | [ \t]*\+[ \t]*\$\w+[ \t]*$                                   # a line of a diff
      | [^\n]*(?:[=!]==?[ ]|\$\w+[ ]=>|@(?:param|var|property|return|throws|type)[ ])
      | [^\n]*\b(?:if|elif|elseif|while|for|foreach|switch|catch|function|return|isset|unset|empty|my|fn)[ ]?\([ ]*\$
      | [^\n]*\b(?-i:SELECT|INSERT|UPDATE|DELETE)[ ][^\n]{0,200}\b(?-i:FROM|INTO|SET|WHERE)[ ]
      | [ \t]*(?:sudo[ ])?(?:awk|cat|cd|chmod|chown|cp|curl|docker|echo|find|git|grep|kill|ln|ls|mkdir|mv|npm|php|printf
          |python3?|read|rm|rsync|scp|sed|ssh|tar|test|touch|unset|wget)[ ](?:(?<=docker[ ])[a-z]+[ ])?-{1,2}[A-Za-z]
      | [^\n]*\b(?:undefined|undeclared|uninitiali[sz]ed|unused|unknown|unbound|unset|variable|identifier|symbol)
          :[ ]\$
      | [^\n]*\b(?:error|warning|notice):[ ]\$\w+[ \t]*$)"""
)
"""Matches by features that no sentence has. Only lines with a `$` are matched."""
