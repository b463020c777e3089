"""Laws of the readers: whatever a file holds, it is read or ``RecordingError`` says why not; no call counts twice."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samecall import RecordingError
from samecall.recordings import Recording, parse

from tests.policy.recorded import RECORDED, lines

TEXTS = [text for _, text, _ in RECORDED]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
# Their calls have no id (nor have Cursor's saved ones), or servers give one twice: what comes again is another call.
WITHOUT_IDS = {
    "antigravity",
    "cline",
    "intercode",
    "kimi",
    "mini_swe_agent",
    "swe_agent",
    "forge",
    "grok",
    "openai_messages",
}


def _values(text: str) -> list[Any]:
    """Return the records of a text, those of a list where it is one."""
    try:
        found = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]
    return found if isinstance(found, list) else [found]


def _places(value: object) -> Iterator[tuple[Any, Any]]:
    """Return every place in a value: what holds it, and its key or number there."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _sessions(text: str) -> tuple[Recording, ...]:
    """Read a text, ``()`` where it is none of ours, and look at the ids of its calls."""
    try:
        found = parse(text)
    except RecordingError:
        return ()
    for recording in found:
        ids = _ids(recording)
        assert len(set(ids)) == len(ids)
    return found


def _ids(recording: Recording) -> list[str | None]:
    return [call.call.id for turn in recording.turns for batch in turn.batches for call in batch]


class TestAnyInput:
    """Nothing but ``RecordingError`` is raised, and no id of a call is there twice."""

    @given(st.data(), st.sampled_from(TEXTS))
    def test_values_that_are_others(self, data: st.DataObject, text: str) -> None:
        values = _values(text)
        for _ in range(data.draw(st.integers(1, 3))):
            places = list(_places(values))
            if not places:
                break
            holder, key = data.draw(st.sampled_from(places))
            match data.draw(st.sampled_from(["other", "none", "moved", "list", "text"])):
                case "other":
                    holder[key] = data.draw(JSON)
                case "none":
                    del holder[key]
                case "moved":
                    there, other = data.draw(st.sampled_from(places))
                    holder[key] = json.loads(json.dumps(there[other]))
                case "list":
                    holder[key] = [holder[key]]
                case _:
                    holder[key] = json.dumps(holder[key])
        _sessions(lines(*values))

    @given(st.sampled_from(TEXTS), st.integers(0), st.integers(0))
    def test_texts_that_are_cut(self, text: str, start: int, end: int) -> None:
        _sessions(text[start % len(text) :])
        _sessions(text[: end % len(text)])

    @given(st.data(), st.sampled_from(TEXTS), st.sampled_from(TEXTS))
    def test_records_in_any_order_with_those_of_another_format(
        self, data: st.DataObject, text: str, other: str
    ) -> None:
        _sessions(lines(*data.draw(st.permutations(_values(text) + _values(other)))))

    @pytest.mark.parametrize("depth", [900, 2000])
    def test_values_that_are_nested_deeply(self, depth: int) -> None:
        deep = "[" * depth + "]" * depth
        for text in TEXTS:
            for number in range(len(list(_places(_values(text))))):
                values = _values(text)
                holder, key = list(_places(values))[number]
                holder[key] = "DEEP"
                for start, end in ((deep, deep), (deep[:-1] + "1", deep)):
                    whole = lines(*values, *values).replace('"DEEP"', start, 1).replace('"DEEP"', end)
                    _sessions(whole)


WITH_IDS = [text for form, text, _ in RECORDED if form not in WITHOUT_IDS and '"tool_use", "name"' not in text]


@given(st.data(), st.sampled_from(WITH_IDS))
def test_a_record_that_is_written_again_adds_no_call(data: st.DataObject, text: str) -> None:
    records = _values(text)
    calls = len({call_id for recording in parse(text) for call_id in _ids(recording)})
    again = data.draw(st.lists(st.sampled_from(records), max_size=4))
    places = [data.draw(st.integers(0, len(records))) for _ in again]
    for record, place in zip(again, places, strict=True):
        records.insert(place, record)
    assert len({call_id for recording in _sessions(lines(*records)) for call_id in _ids(recording)}) == calls
