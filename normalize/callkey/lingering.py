"""Whether a command leaves something running that goes on when the command has ended."""

from __future__ import annotations

import re

from .errors import ParseError
from .parse import parse
from .syntax import Statement
from .walk import walk

_ALONE = re.compile(r"(?<![&<>|\\])&(?![&>])")
"""What may be the operator that puts a command into the background."""
_ELSEWHERE = re.compile(r"\b(?:sh|bash|zsh|dash|ksh|eval|ssh|su|sudo|xargs|env|watch)\b")
"""Programs that run a text, where an operator is a character for us."""
_STARTERS = re.compile(
    r"(?:\A|[;&|({\n`]|\b(?:sudo|command|time|env|then|do|else)\b)\s*(?:\w+=\S*\s+)*(?:"
    r"(?:nohup|setsid|disown|daemonize|start-stop-daemon|systemd-run|at|batch|screen|tmux|zellij|coproc|bg"
    r"|systemctl|service|supervisorctl|pm2|launchctl|brew|rc-service|nginx|apachectl|pg_ctl\w*|redis-server|mongod"
    r"|forever|foreman|overmind|vagrant|minikube|adb|emulator|ollama)\b"
    r"|(?:docker|podman|nerdctl|docker-compose|kubectl|helm)\b.*\s(?:-\w*d\w*|--detach|start|restart|up|run|apply|rollout)\b)"
    r"|\s--(?:daemon|daemonize|detach|background|fork)\b",
    re.DOTALL,
)
"""What starts services, or hands work to one. Named too often it costs a missed duplicate."""


def leaves_running(command: str) -> bool:
    """Say whether something may still run when a command that changes something has ended.

    >>> leaves_running("make > log &"), leaves_running("curl 'u?a=1&b=2' && ls"), leaves_running("nohup ./serve")
    (True, False, True)
    """
    if _STARTERS.search(command) is not None:
        return True
    if _ALONE.search(command) is None:
        return False
    try:
        script = parse(command)
    except (ParseError, RecursionError):
        return True
    return _ELSEWHERE.search(command) is not None or any(
        isinstance(node, Statement) and node.background for node in walk(script)
    )
