"""What a tool without a shell command does, judged by its name: a table of known tools, else the verbs in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from .footprints.footprint import BOTH, EVERYTHING, FOOTPRINTS, Footprint
from .footprints.sql import only_asks

if TYPE_CHECKING:
    from .tools import ToolCall

TYPING = Footprint(BOTH, BOTH, varies=True, waits=True)
"""Keystrokes for a running program, or a look at what it has done since: never the same twice."""

# Claude Code 2, Codex CLI 0.144, Gemini CLI 0.40, OpenHands 1, SWE-agent 1, Cline 3, Cursor 1, codegraff 1
_KNOWN: dict[str, Footprint] = {
    name: footprint
    for footprint, names in (
        (FOOTPRINTS["nothing"], "TodoRead think Think finish submit attempt_completion ExitPlanMode exit_plan_mode update_plan TodoWrite todo_write write_todos task_tracker sequentialthinking"),
        (FOOTPRINTS["read"], "Read NotebookRead Grep Glob LS read_file read_many_files list_directory list_dir list_files glob grep search_file_content search_files grep_search file_search codebase_search find_file search_file search_dir view_image list_code_definition_names read fs_search"),
        (FOOTPRINTS["fetch"], "WebFetch WebSearch web_fetch web_search google_web_search webfetch websearch fetch fetch_url read_url http_get"),
        (FOOTPRINTS["varies"], "AskUserQuestion ask_user ask_followup_question"),
        (FOOTPRINTS["write"], "Edit MultiEdit Write NotebookEdit apply_patch replace write_file edit_file create_file delete_file write_to_file replace_in_file search_replace create edit save_memory open goto scroll_up scroll_down patch undo remove write"),
        (TYPING, "write_stdin BashOutput TaskOutput KillShell KillBash wait_agent send_input"),
    )
    for name in names.split()
}  # fmt: skip
_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor"})

_READING = frozenset(
    "get read list search find fetch query view open show describe lookup grep glob ls cat retrieve count inspect browse".split()
)
_MOVING = frozenset("wait poll sleep status state time now clock random progress log logs tail watch health metrics queue".split())
_WRITING = frozenset(
    "add allocate append apply approve archive assign attach authenticate authorize book build buy call cancel change "
    "checkin checkout claim clean clear click clone close comment commit compile confirm connect convert copy create "
    "debit deactivate deduct delete deploy destroy detach disable discard dispatch dispose download drop edit eject "
    "emit enable enqueue ensure eval evict exec execute expire export fill fix flush follow fork format generate "
    "grant import increment init insert install invoke join kill launch like link load lock login logout make mark "
    "merge migrate modify mount move mutate notify order patch pause pay place play pop post press process promote "
    "provision publish pull purchase purge push put react rebuild receive record redeem refresh refund register "
    "reject release remove rename renew reopen reorder replace reply request reschedule reserve reset resize resolve "
    "restart restore resume retry return revert review revoke rollback rotate run save schedule send set sign snooze "
    "spawn split star start stop store submit subscribe swap switch sync tag take terminate test toggle touch train "
    "transfer trigger truncate type unlink unlock unset unsubscribe update upgrade upload upsert use validate vote "
    "write".split()
)
# Nouns of writing tools only where something is opened: open_pr, open_ticket.
_OPENED = frozenset("pr pull issue ticket case account position door valve dispute session connection app application".split())
_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SERVER = re.compile(r"mcp__(?:(?!__).)*__")


def footprint_of_tool(call: ToolCall) -> Footprint:
    """Return the footprint of a tool that runs no shell command."""
    arguments = cast("Mapping[str, object]", call.input) if isinstance(call.input, Mapping) else {}
    if call.name in _EDITORS:
        return FOOTPRINTS["read" if arguments.get("command") == "view" else "write"]
    known = _KNOWN.get(call.name)
    if known is not None:
        return known
    for name in ("sql", "statement"):
        statement = arguments.get(name)
        if statement is not None and not (isinstance(statement, str) and only_asks(statement)):
            return EVERYTHING
    return footprint_of_name(call.name)


def footprint_of_name(name: str) -> Footprint:
    """Return the footprint that the verbs of a name promise; without a promise, everything.

    >>> footprint_of_name("mcp__github__list_issues").changes == frozenset()
    True
    >>> footprint_of_name("getOrCreateUser") == EVERYTHING
    True
    """
    words = [word.lower() for word in _SPLIT.findall(_SERVER.sub("", name))]
    forbidden = _WRITING | _OPENED if "open" in words else _WRITING
    if not any(word in _READING for word in words) or any(word in forbidden for word in words):
        return EVERYTHING
    return Footprint(depends=BOTH, varies=any(word in _MOVING for word in words))
