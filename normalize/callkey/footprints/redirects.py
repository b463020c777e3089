"""What a redirect touches, and which files move by themselves."""

from __future__ import annotations

import re
from collections.abc import Container

from ..syntax import HereDoc, Redirect
from .arguments import Argument, argument
from .footprint import EVERYTHING, FOOTPRINTS, NOTHING, WORKSPACE, Footprint

_HIGH = re.compile(r"(?:[3-9]|\d\d+)-?")
_DUPLICATE = re.compile(r"\d+-?|-")
_SINK = re.compile(r"/dev/(?:null|zero|stdout|stderr|tty|fd/[0-2])")
_CONNECTION = re.compile(r"/dev/(?:tcp|udp)(?:/|\Z)")  # Bash 5.2, 3.6

# What the kernel makes up, and what running services append to. hier(7), proc(5)
_MOVING = re.compile(
    r"\A/(?:proc|sys|run|var/run|var/log)(?:/|\Z)"
    r"|\A/dev/(?!(?:null|zero|stdin|stdout|stderr|tty|fd/.*)\Z)"
    r"|\.(?:log|pid)\Z"
    r"|\Anohup\.out\Z"
)


def moves(operand: Argument) -> bool:
    """Say whether the file that an operand names changes by itself.

    >>> moves("/proc/loadavg"), moves("server.log"), moves("README.md")
    (True, True, False)
    """
    return _MOVING.search(operand if isinstance(operand, str) else operand.prefix) is not None


def footprint_of_redirect(redirect: Redirect, opened: Container[str]) -> Footprint:
    """Return the footprint of opening the target; what stands in its word is somebody else's business.

    ``opened`` are the descriptors that the command itself opened. What stands behind any other above 2, an earlier
    ``exec`` knows: a file, a connection.
    """
    if isinstance(redirect.target, HereDoc) or redirect.operator == "<<<":
        return NOTHING
    target = argument(redirect.target)
    if redirect.operator in {">&", "<&"} and _HIGH.fullmatch(str(target)) and str(target).rstrip("-") not in opened:
        return EVERYTHING if redirect.operator == ">&" else FOOTPRINTS["varies"]
    if _CONNECTION.match(target if isinstance(target, str) else target.prefix):
        return EVERYTHING
    if redirect.operator == "<":
        return FOOTPRINTS["varies" if moves(target) else "read"]
    if isinstance(target, str) and (_SINK.fullmatch(target) or _duplicates(redirect.operator, target)):
        return NOTHING
    return Footprint(changes=WORKSPACE)


def _duplicates(operator: str, target: str) -> bool:
    return operator in {">&", "<&"} and _DUPLICATE.fullmatch(target) is not None
