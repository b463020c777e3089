"""Start the command line: hooks by a way of their own, since an agent waits for them at each of its calls."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit."""
    from .hooks import AGENTS  # noqa: PLC0415 - hooks load nothing that other commands need, nor the reverse

    match sys.argv[1:]:
        case ["hook", agent, *options] if agent in AGENTS and not {"-h", "--help"}.intersection(options):
            from .hooks.short import run  # noqa: PLC0415 - as above

            run([agent, *options])
        case ["hook", agent, *_] if not agent.startswith("-") and agent not in {*AGENTS, "install", "uninstall"}:
            # Not status 2, which agents take for a refusal.
            sys.exit(f"samecall: no such agent: {agent}; there are {', '.join(AGENTS)}")
        case _:
            from .cli import main as command  # noqa: PLC0415 - as above

            command()


if __name__ == "__main__":
    main()
