"""The messages of the hooks: decisions come in as data, and are put into words here.

`prompt_context`, `denial`, `session_start`, `question`, `stop` and `write_reply` tell the model; `prompt_notice`,
`shared.failure` and `stop` tell the person.

Rules of this room:
- Messages are short: the model reads injected text again on every later turn. What matters least gives way (`lines`).
- Text from a state file is passed through `clean` before it is shown.
- Every command can be pasted.
"""
