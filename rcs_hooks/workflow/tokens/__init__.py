"""Reads the `$skill` tokens of a prompt: where one is, what is around it, and whether it is directed or only mentioned.

In reading order:
- `scan`: the tokens, and which of them a prompt asks for
- `quoted_spans`, `pasted_lines`, `code_lines`, `log_lines`: which words are somebody else's
- `clause`: what is around a token
- `phrasing`, `predicates`, `reports`, `mentions`, `directed`: how it is used there
- `cancel`: when `$cancel` is an order
- `cjk`: the same for Chinese, Japanese and Korean
- `lexicon`: the words; `patterns`: regular expressions that are compiled late
"""
