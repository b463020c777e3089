"""Standard output: at a terminal with colours and as wide as it is; elsewhere plain, whole lines."""

from __future__ import annotations

import shutil
import sys

from rich.console import Console
from rich.text import Text


class Screen:
    """Prints lines that are laid out already. ``width`` is the terminal's, ``None`` where the output goes elsewhere."""

    def __init__(self) -> None:
        """Look where the output goes."""
        self.width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        self._console = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)

    def print(self, line: Text) -> None:
        """Print a line."""
        if self.width is None:
            sys.stdout.write(line.plain + "\n")
        else:
            self._console.print(line)
