"""Hooks of coding agents: a process a call, one protocol a file, books in the user's state directory."""

AGENTS = ("claude-code", "codex", "gemini-cli")
"""What ``samecall hook`` speaks to. The module of a protocol has the agent's name with an underscore."""
