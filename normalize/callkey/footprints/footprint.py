"""What running something touches: the currency in which the parts of a command are added up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Domain = Literal["workspace", "network"]

WORKSPACE: frozenset[Domain] = frozenset({"workspace"})
NETWORK: frozenset[Domain] = frozenset({"network"})
BOTH: frozenset[Domain] = WORKSPACE | NETWORK


@dataclass(frozen=True, slots=True)
class Footprint:
    """``depends`` and ``changes`` are domains; ``varies`` says that the result changes by itself.

    ``waits`` says that time passes on purpose (``sleep``): whatever stands beside it is looked at for a change.
    ``session`` says that the shell which runs the command is altered: its directory, variables, options.
    """

    depends: frozenset[Domain] = frozenset()
    changes: frozenset[Domain] = frozenset()
    varies: bool = False
    waits: bool = False
    session: bool = False


NOTHING = Footprint()
EVERYTHING = Footprint(depends=BOTH, changes=BOTH)

FOOTPRINTS: dict[str, Footprint] = {
    "nothing": NOTHING,
    "read": Footprint(depends=WORKSPACE),
    "query": Footprint(depends=BOTH),
    "fetch": Footprint(depends=NETWORK),
    "varies": Footprint(depends=WORKSPACE, varies=True),
    "live": Footprint(depends=NETWORK, varies=True),
    "drift": Footprint(depends=BOTH, varies=True),
    "wait": Footprint(varies=True, waits=True),
    "shell": Footprint(depends=WORKSPACE, session=True),
    "write": Footprint(depends=WORKSPACE, changes=WORKSPACE),
    "download": Footprint(depends=BOTH, changes=WORKSPACE),
    "publish": Footprint(depends=BOTH, changes=NETWORK),
    "everything": EVERYTHING,
}
"""The footprints that tables name.

``varies`` is local state that moves by itself (processes), ``live`` is remote state that does (a cluster),
``drift`` is both.
"""


def together(footprints: Iterable[Footprint]) -> Footprint:
    """Return the footprint of running all of them, in whatever order.

    >>> together([FOOTPRINTS["fetch"], FOOTPRINTS["write"]]) == FOOTPRINTS["download"]
    True
    """
    depends: frozenset[Domain] = frozenset()
    changes: frozenset[Domain] = frozenset()
    varies = waits = session = False
    for footprint in footprints:
        depends |= footprint.depends
        changes |= footprint.changes
        varies |= footprint.varies
        waits |= footprint.waits
        session |= footprint.session
    return Footprint(depends, changes, varies, waits, session)
