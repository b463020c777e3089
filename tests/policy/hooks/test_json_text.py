"""Edits of JSON as text."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samecall.hooks.json_text import append, locate, remove

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
layouts = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 2, 4, "\t"]),
        "separators": st.sampled_from([None, (",", ":"), (" ,", " : ")]),
        "ensure_ascii": st.booleans(),
    }
)


class TestAppend:
    """A part that is appended is there, what was there is there still, and removing it gives the old text back."""

    @settings(deadline=None)
    @given(st.dictionaries(st.text(), values, min_size=1), st.text(), values, layouts, st.sampled_from(["\n", "\r\n"]))
    def test_to_an_object(
        self, document: dict[str, object], name: str, value: object, layout: dict[str, object], end: str
    ) -> None:
        document.pop(name, None)
        text = json.dumps(document, **layout).replace("\n", end)  # type: ignore[arg-type]  # a table of its arguments
        longer = append(text, locate(text), name, value)
        assert json.loads(longer) == document | {name: value}
        if document:
            assert remove(longer, locate(longer), len(document)) == text

    @settings(deadline=None)
    @given(st.lists(values, min_size=1), values, layouts)
    def test_to_an_array(self, items: list[object], value: object, layout: dict[str, object]) -> None:
        text = json.dumps(items, **layout)  # type: ignore[arg-type]  # a table of its arguments
        longer = append(text, locate(text), None, value)
        assert json.loads(longer) == [*items, value]
        assert remove(longer, locate(longer), len(items)) == text


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        ("{}", '{\n  "k": [\n    1\n  ]\n}'),
        ('{"a":1}', '{"a":1,"k": [1]}'),
        ('{ "a": 1 }', '{ "a": 1, "k": [1] }'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}\n'),
        ('{\n    "a": 1\n}', '{\n    "a": 1,\n    "k": [\n        1\n    ]\n}'),
        ('{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "k": [\r\n    1\r\n  ]\r\n}'),
        ('{\n  "a": 1,\n\n  "b": 2\n}', '{\n  "a": 1,\n\n  "b": 2,\n\n  "k": [\n    1\n  ]\n}'),
    ],
)
def test_the_new_part_is_laid_out_as_its_neighbours_are(text: str, longer: str) -> None:
    assert append(text, locate(text), "k", [1]) == longer


@pytest.mark.parametrize(
    ("place", "shorter"), [(0, '{"b": 2, "c": 3}'), (1, '{"a": 1, "c": 3}'), (2, '{"a": 1, "b": 2}')]
)
def test_any_part_can_go(place: int, shorter: str) -> None:
    text = '{"a": 1, "b": 2, "c": 3}'
    assert remove(text, locate(text), place) == shorter


def test_the_last_part_leaves_nothing() -> None:
    assert remove('{ "a": 1 }', locate('{ "a": 1 }'), 0) == "{}"
