"""Names that the clients use, for code that cannot wait for all of their definitions.

Made from `rcs_hooks/clients` by `python -m tests.make_clients`; do not edit. No `__future__`, no `typing`.
"""

TITLES = {
    "codex": "Codex",
    "claude": "Claude Code",
    "copilot": "Copilot CLI",
    "qwen": "Qwen Code",
    "gemini": "Gemini CLI",
}
"""What people call each client."""
RESUMES = {
    "codex": "codex resume {}",
    "claude": "claude --resume {}",
    "copilot": "copilot --resume={}",
    "qwen": "qwen --resume {}",
    "gemini": "gemini --resume {}",
}
"""The command that resumes a session of each client, with `{}` for its id."""
EVENT_NAMES = {"BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop"}
"""Our name of each event that a client names otherwise."""
AGENT_VARIABLES = (
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SANDBOX",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
    "CODEX_TOOL_CALL_ID",
    "COPILOT_AGENT_SESSION_ID",
    "COPILOT_CLI",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
    "QWEN_CODE",
    "QWEN_CODE_PROMPT_ID",
    "QWEN_CODE_SESSION_ID",
    "RCS_SESSION_ID",
)
"""The variables that are set in the shell of an agent, and by no person for other ends, as CODEX_HOME is."""
SESSION_VARIABLES = {
    "CLAUDE_CODE_SESSION_ID": "claude",
    "CODEX_SESSION_ID": "codex",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "QWEN_CODE_SESSION_ID": "qwen",
}
"""The client of each variable that tells its agent's shell the id of the session."""
SKILL_FOLDERS = (
    (".claude", "CLAUDE_CONFIG_DIR"),
    (".codex", "CODEX_HOME"),
    (".agents", ""),
    (".copilot", "COPILOT_HOME"),
    (".github", ""),
    (".gemini", ""),
    (".qwen", "QWEN_HOME"),
)
"""The folders that have a folder `skills`, each with the variable that moves the one in the home."""
ENV_LOADERS = ("QWEN_CODE", "QWEN_CODE_PROMPT_ID", "QWEN_CODE_SESSION_ID", "GEMINI_CLI", "GEMINI_SESSION_ID")
"""The variables that only clients set which take others from files of the workspace."""
