"""What else makes keys of commands and URLs. The dependency group ``bench`` installs it; what is absent is left out."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import shlex
from collections.abc import Callable
from typing import Any

from callkey import canonicalize, key

Make = Callable[[str], object]


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def raw_text(command: str) -> str:
    """Hash the text as it is."""
    return _hash(command)


def sorted_json(command: str) -> str:
    """Hash the tool input as JSON with sorted keys: what most harnesses do."""
    return _hash(json.dumps({"command": command}, sort_keys=True))


def collapsed(command: str) -> str:
    """Hash the lower-case text with collapsed blanks: what some harnesses do."""
    return _hash(re.sub(r"\s+", " ", command.strip().lower()))


def shlex_words(command: str) -> tuple[str, ...]:
    """Split as a POSIX shell would, had it only words."""
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return ("unfinished", command)


def exact(command: str) -> str:
    """Our exact text: no change of behaviour."""
    return canonicalize(command).exact


def normalized(command: str) -> str:
    """Our key, as a gate uses it."""
    found = key(command)
    return found.digest if found else ""


COMMAND_PEERS: dict[str, Make] = {
    "raw text, hashed": raw_text,
    "sorted JSON, hashed": sorted_json,
    "lower case, blanks collapsed": collapsed,
    "shlex.split": shlex_words,
}


def tree_sitter(*, whole: bool) -> Make | None:
    """Return tree-sitter-bash, if it is installed: only the parse, or the ``whole`` tree with its texts as a key."""
    try:
        binding: Any = importlib.import_module("tree_sitter")
        language: Any = importlib.import_module("tree_sitter_bash")
    except ImportError:
        return None
    parser = binding.Parser(binding.Language(language.language()))

    def parse(command: str) -> Any:
        return parser.parse(command.encode("utf-8", "surrogatepass"))

    def leaves(node: Any) -> object:
        return (node.type, *map(leaves, node.children)) if node.children else (node.type, node.text)

    def key_of(command: str) -> object:
        return leaves(parse(command).root_node)

    return key_of if whole else parse


def url_peers() -> dict[str, Make]:
    """Return the URL normalizers that are installed."""
    found: dict[str, Make] = {}
    for module, name in (("w3lib.url", "canonicalize_url"), ("url_normalize", "url_normalize")):
        try:
            found[f"{module.partition('.')[0]}.{name}"] = getattr(importlib.import_module(module), name)
        except ImportError:
            continue
    return found
