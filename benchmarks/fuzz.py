"""Look for strings that break the engine, for as long as one likes: with atheris if it is there, and Hypothesis."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from typing import Any

from callkey import canonicalize, key
from callkey.keys import forget_all

from .corpus import DEFAULT, read_commands
from .report import Report

_SLOW = 2.0  # seconds for some kilobytes: far over any linear bound


class FindError(Exception):
    """A string on which a law is broken."""


def run(minutes: float) -> Report:
    """Fuzz for so many minutes: coverage-guided bytes in a process of its own, then generated commands."""
    rows: list[tuple[str, ...]] = []
    has_atheris = importlib.util.find_spec("atheris") is not None
    if has_atheris:
        rows += _coverage_guided(minutes / 2)
    rows += _generated(minutes / 2 if has_atheris else minutes)
    remarks = [] if has_atheris else ["atheris is not installed (dependency group bench): only Hypothesis ran"]
    failed = sum(row[2] != "0" for row in rows)
    return Report("fuzz", ("how", "strings", "finds", "first find"), rows, remarks, {"fuzz finds": failed})


def check(text: str) -> None:
    """Hold one string against the laws that need no bash: a key comes back, soon, and canonical text is fixed.

    Raises:
        FindError: a law is broken.

    """
    forget_all()
    start = time.perf_counter()
    forms = canonicalize(text)
    taken = time.perf_counter() - start
    if taken > _SLOW:
        raise FindError(f"{taken:.1f} s for {len(text)} characters")
    if canonicalize(forms.exact).exact != forms.exact:
        raise FindError(f"exact text of {text!r} moves: {forms.exact!r}")
    if canonicalize(forms.text).text != forms.text:
        raise FindError(f"text of {text!r} moves: {forms.text!r}")
    if key(text) is None:
        raise FindError(f"{text!r} has no key")


def _coverage_guided(minutes: float) -> list[tuple[str, ...]]:
    """Run atheris in a child: libFuzzer ends the process that it runs in."""
    seconds = max(1, int(minutes * 60))
    child = subprocess.run(  # noqa: S603 - this interpreter, this module
        [
            sys.executable,
            "-m",
            "benchmarks.fuzz",
            f"-max_total_time={seconds}",
            "-max_len=4096",
            "-timeout=20",
            "-verbosity=0",
        ],
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
    )
    lines = (child.stdout + child.stderr).splitlines()
    executed = next((line.split()[-1] for line in lines if "number_of_executed_units" in line or "Done" in line), "?")
    found = next((line for line in lines if "Error" in line or "TEXT " in line), "")
    return [("atheris", executed, "0" if child.returncode == 0 else "1", found)]


def _generated(minutes: float) -> list[tuple[str, ...]]:
    from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: PLC0415 - an extra of the benchmarks
    from hypothesis import strategies as st  # noqa: PLC0415

    from tests.properties.soup import any_text, mutated, soup  # noqa: PLC0415

    end = time.monotonic() + minutes * 60
    corpus = read_commands(DEFAULT)
    tried = rounds = 0
    finds: list[str] = []

    def one(text: str) -> None:
        nonlocal tried
        tried += 1
        check(text)

    def splice(first: str, second: str, cut: int, paste: int) -> str:
        return first[: cut % (len(first) + 1)] + second[paste % (len(second) + 1) :]

    spliced = st.builds(
        splice, st.sampled_from(corpus), st.sampled_from(corpus) | soup(), st.integers(0, 999), st.integers(0, 999)
    )
    while time.monotonic() < end and not finds:
        rounds += 1
        quiet = settings(
            max_examples=500,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        run_once: Any = seed(rounds)(quiet(given(st.one_of(any_text(), soup(), mutated(), spliced, spliced))(one)))
        try:
            run_once()
        except Exception as error:  # noqa: BLE001 - any exception is a find
            finds.append(repr(error))
    return [("Hypothesis", f"{tried:,}", str(len(finds)), finds[0] if finds else "")]


def _child() -> None:
    import atheris  # noqa: PLC0415 - an extra, and only this process may have it

    with atheris.instrument_imports(include=["callkey"]):
        for name in [name for name in sys.modules if name.startswith("callkey")]:
            del sys.modules[name]
        import callkey  # noqa: PLC0415
        from callkey.canonical import canonicalize as instrumented  # noqa: PLC0415

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        forms = instrumented(text)
        if instrumented(forms.exact).exact != forms.exact:
            raise AssertionError(f"TEXT {text!r} exact {forms.exact!r}")
        if instrumented(forms.text).text != forms.text:
            raise AssertionError(f"TEXT {text!r} text {forms.text!r}")
        callkey.key(text)

    atheris.Setup([*sys.argv, "-print_final_stats=1"], one)
    atheris.Fuzz()


if __name__ == "__main__":
    _child()
