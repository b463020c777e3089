"""The key vectors hold: a changed one needs a new ``KEY_VERSION``."""

from __future__ import annotations

from benchmarks import vectors


def test_the_vectors_are_what_the_engine_says() -> None:
    assert vectors.VECTORS.read_text(encoding="ascii") == vectors.dump(vectors.make())


def test_there_are_enough_of_them() -> None:
    groups = vectors.make()["groups"]
    assert sum(len(group["same"]) + len(group["others"]) for group in groups) >= 300
    assert all(group["same"] and group["others"] for group in groups)
