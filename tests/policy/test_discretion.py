"""Nothing that we store, tell or log holds an argument; what is shown to people holds no credential."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from callkey import ToolCall
from samecall import Event, Execute, ToolCallGate, ToolPolicy, Warn, to_json
from samecall.describing import describe
from samecall.discretion import mask, mask_input
from samecall.stores import RedisStore, SQLiteStore, Store

SECRETS = ["tok-5f1c9a77d2", "s3cretpw-88121", "ak-live-9910ffce", "sess-77aa01ef"]
CALLS = [
    ToolCall("bash", {"command": "curl -H 'Authorization: Bearer tok-5f1c9a77d2' https://h.example/a"}, "c1"),
    ToolCall("bash", {"command": "curl -u user:s3cretpw-88121 https://h.example/b"}, "c2"),
    ToolCall("bash", {"command": "curl 'https://h.example/c?api_key=ak-live-9910ffce&q=1' | jq .a"}, "c3"),
    ToolCall("fetch", {"url": "https://h.example/d", "headers": {"Cookie": "sid=sess-77aa01ef"}}, "c4"),
]


def _raise(call: ToolCall) -> str:
    raise RuntimeError(str(call.input))


POLICIES = [
    ToolPolicy(dedupeToolCalls=True, maxToolCalls=9, effects={"*": "read"}),
    ToolPolicy(dedupeToolCalls=True, onDuplicateToolCall="warn", effects={"*": "read"}),
    ToolPolicy(dedupeToolCalls=True, retryFailures=0, effects={"*": "read"}),
    ToolPolicy(dedupeToolCalls=True, pollLimit=0, effects={"*": "volatile"}),
    ToolPolicy(maxToolCalls=1, toolCallKey=_raise),
]


def _play(store: Store, policy: ToolPolicy) -> tuple[ToolCallGate, list[str]]:
    """Take the calls through a gate whose sink is broken; return it and all that was said meanwhile."""

    def sink(event: Event) -> None:
        raise OSError(event.type)

    gate = ToolCallGate(policy, store=store, session_id="s", on_event=sink)
    said: list[str] = []
    for turn in range(2):
        gate.new_turn(turn)
        for again in range(4):
            for call in CALLS:
                given = ToolCall(call.name, call.input, f"{call.id}.{again}")
                (decision,) = gate.admit([given])
                said.append(repr(decision))
                if isinstance(decision, Execute | Warn):
                    gate.settle(given, "failed" if again % 2 else "succeeded", "a result")
    said += [json.dumps(to_json(event)) + repr(event) for event in gate.undelivered]
    return gate, said


def _stored(gate: ToolCallGate, store: Store, folder: Path) -> bytes:
    """Return the raw bytes of everything that was stored."""
    snapshot: dict[str, Any] = dict(gate.snapshot() or {})
    data = b"".join(bytes.fromhex(part) for _, key, value in snapshot["records"] for part in (key, value))
    match store:
        case SQLiteStore():
            return data + b"".join(path.read_bytes() for path in folder.iterdir())
        case RedisStore():
            client = store._client  # noqa: SLF001 - the test looks at what is really on the server
            return data + b"".join(key + (client.dump(key) or b"") for key in client.scan_iter())
        case _:
            return data


@pytest.mark.parametrize("policy", POLICIES)
def test_no_argument_is_stored_told_or_logged(
    policy: ToolPolicy, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    gate, said = _play(store, policy)
    assert said
    assert "event sink failed" in caplog.text
    everything = "\n".join([*said, repr(gate), repr(policy), caplog.text]).encode() + _stored(gate, store, tmp_path)
    for secret in [*SECRETS, "h.example"]:
        assert secret.encode() not in everything


MASKED = [
    "curl -H 'Authorization: Bearer tok-5f1c9a77d2' https://h/",
    'curl -H "authorization: token tok-5f1c9a77d2" https://h/',
    "curl --header='X-Api-Key: tok-5f1c9a77d2' https://h/",
    "curl -u user:tok-5f1c9a77d2 https://h/",
    "curl -su 'user:tok-5f1c9a77d2' https://h/",
    "curl --user=user:tok-5f1c9a77d2 https://h/",
    "curl --proxy-user user:tok-5f1c9a77d2 https://h/",
    "curl -b 'sid=tok-5f1c9a77d2' https://h/",
    "curl -H 'Cookie: a=1; sid=tok-5f1c9a77d2' https://h/",
    "curl 'https://h/?q=1&api_key=tok-5f1c9a77d2'",
    "curl 'https://h/?access_token=tok-5f1c9a77d2&q=1'",
    "curl https://user:tok-5f1c9a77d2@h/",
    "git clone https://tok-5f1c9a77d2@h/r.git",
    "API_TOKEN=tok-5f1c9a77d2 ./run.sh",
    "export DB_PASSWORD='tok-5f1c9a77d2'",
    "mysql --password=tok-5f1c9a77d2 db",
    "tool --api-key tok-5f1c9a77d2",
    "echo ghp_tok5f1c9a77d2abcdef | login",
    """curl -d '{"password": "tok-5f1c9a77d2"}' https://h/""",
]


@pytest.mark.parametrize("command", MASKED)
def test_a_credential_in_a_command_is_hidden(command: str) -> None:
    shown = mask(command)
    assert "5f1c9a77d2" not in shown
    assert "***" in shown


@pytest.mark.parametrize("part", ["a", "token", "-u", "a.", "eyJ-", "://a", '"', "password ", "x:", "-uuuu"])
def test_a_megabyte_is_masked(part: str) -> None:
    """A pattern that looks back over everything would take hours here."""
    assert mask(part * (1_000_000 // len(part)))


@pytest.mark.parametrize(
    "command",
    [
        "ls -la /srv/app",
        "git log --author=ann -n 5",
        "curl -s 'https://h.example/search?q=defamation&court=appeal' | jq '.hits[].id'",
        "sort -u names.txt",
        "sed -n '1,20p' src/tokens.py",
        "grep -rn author: docs",
        "docker run -u 1000:1000 image",
        "python -m unittest -b tests",
    ],
)
def test_a_command_without_credentials_stays_as_it_is(command: str) -> None:
    assert mask(command) == command


def test_a_secret_under_its_name_is_hidden_in_json() -> None:
    given = {"url": "https://h/?token=abc", "headers": {"Authorization": "Bearer x", "Accept": "json"}, "n": [1, None]}
    assert mask_input(given) == {
        "url": "https://h/?token=***",
        "headers": {"Authorization": "***", "Accept": "json"},
        "n": [1, None],
    }


def test_what_a_person_sees_of_a_call_holds_no_credential() -> None:
    for call in CALLS:
        assert not any(secret in describe(call) for secret in SECRETS)
