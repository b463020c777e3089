"""Logs of one session's requests hold each other: only the last of them is a session."""

import json
from pathlib import Path

import pytest
from samecall.recordings import find

FIRST, SECOND, OTHER = ({"role": "user", "content": text} for text in ("a", "b", "c"))


@pytest.mark.parametrize(
    ("logs", "read"),
    [
        ({"gpt-1757015025.972": [FIRST], "gpt-1757015029.090": [FIRST, SECOND]}, ["gpt-1757015029.090"]),
        ({"gpt-1757015025.972": [FIRST], "gpt-1757015029.090": [OTHER, SECOND]}, None),
        ({"gpt-1757015025.972": [FIRST], "opus-1757015029.090": [FIRST, SECOND]}, None),
        ({"gpt-1": [FIRST], "gpt-2": [FIRST, SECOND]}, None),
        ({"gpt-1757015025.972": "[", "gpt-1757015029.090": [FIRST, SECOND]}, None),
        (
            {"a-1757015025.1": [FIRST], "a-1757015026.1": [FIRST, SECOND], "a-1757015027.1": [OTHER]},
            ["a-1757015026.1", "a-1757015027.1"],
        ),
    ],
    ids=["goes on", "begins anew", "another model", "no log's name", "broken", "a second session"],
)
def test_a_log_that_a_later_one_goes_on_with_is_left_out(
    tmp_path: Path, logs: dict[str, object], read: list[str] | None
) -> None:
    for name, messages in logs.items():
        text = messages if isinstance(messages, str) else json.dumps({"messages": messages, "response": {}})
        (tmp_path / f"{name}.json").write_text(text)
    assert [path.stem for path in find([str(tmp_path)])] == (sorted(logs) if read is None else read)
