"""``python -m benchmarks``: what the project says about speed and quality, measured here and now."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import click
from rich.console import Console

from . import corpora, effects, fuzz, gate, golden, hook, importing, keys, quality, replay, scale
from .corpus import DEFAULT
from .report import Report, show

_DEFAULT_NAMES = ("keys", "quality", "scale", "import", "gate", "hook", "replay", "golden", "corpora", "effects")
_NEEDS_SHARED = frozenset({"golden", "corpora", "effects"})


def _effects() -> Report:
    rows = effects.run()
    return Report("effects: commands labelled by others", ("what", "found"), [tuple(row) for row in rows])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--corpus",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=DEFAULT,
    help="JSONL of commands for keys.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
@click.option(
    "--compare", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="An earlier --json output."
)
@click.option(
    "--minutes", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True, help="How long fuzz runs."
)
def main(*, names: tuple[str, ...], corpus: Path, as_json: bool, compare: Path | None, minutes: float) -> None:
    """Run benchmarks by NAME: keys, quality, scale, import, gate, hook, replay, golden, corpora, effects, fuzz.

    Without a NAME all but fuzz.
    """
    known: Mapping[str, Callable[[], Report]] = {
        "keys": lambda: keys.run(corpus),
        "quality": quality.run,
        "scale": scale.run,
        "import": importing.run,
        "gate": gate.run,
        "hook": hook.run,
        "replay": replay.run,
        "golden": golden.run,
        "corpora": corpora.run,
        "effects": _effects,
        "fuzz": lambda: fuzz.run(minutes),
    }
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}")
    earlier = _figures(compare) if compare else {}
    console = Console(stderr=as_json)
    figures: dict[str, float] = {}
    for name in names or _DEFAULT_NAMES:
        if name in _NEEDS_SHARED and not corpora.available():
            console.print(f"{name}: skipped, its data (../shared/data) is not here", markup=False)
            continue
        try:
            report = known[name]()
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        figures.update(report.figures)
        if not as_json:
            show(report, console, earlier)
    if as_json:
        click.echo(json.dumps(figures, indent=1))


def _figures(path: Path) -> dict[str, float]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): float(value) for name, value in found.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise click.UsageError(f"{path} is no output of --json") from error


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
