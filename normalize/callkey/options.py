"""Read a program's arguments by a table of its options. The same reader serves every program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One row of a program's option table.

    ``long`` is written without dashes, ``short`` is one letter; either may be empty. ``value``: the option takes
    an argument, attached (``-ofile``, ``--out=file``) or as the next word. ``optional``: the argument counts only
    when attached, as in ``sed -i.bak`` and ``ls --color=auto``. ``negatable``: ``--no-long`` is its opposite.
    ``off``: the letter means ``--no-long``, as curl's ``-N`` means ``--no-buffer``.
    """

    long: str = ""
    short: str = ""
    value: bool = False
    optional: bool = False
    negatable: bool = False
    off: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A program's options by name, and how the program reads them.

    ``equals``: ``--long=value`` is understood. ``mixed``: options may follow operands; if not, the first operand
    ends the options. Long names are never completed: an abbreviation is unknown, because what it stands for
    changes with every option that a release adds.
    """

    longs: Mapping[str, Option]
    shorts: Mapping[str, Option]
    equals: bool = True
    mixed: bool = True


@dataclass(frozen=True, slots=True)
class Given:
    """An option as it was given; ``word`` is the index of its own word among the arguments."""

    option: Option
    value: str | None
    on: bool
    word: int


@dataclass(frozen=True, slots=True)
class Invocation:
    """What the arguments say: options in order, and operands with the index of each among the arguments."""

    options: tuple[Given, ...]
    operands: tuple[str, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """The arguments cannot be read by the table: the word that stopped the reader, and why."""

    word: str
    reason: str


def table(options: Iterable[Option], *, equals: bool = True, mixed: bool = True) -> Table:
    """Index rows by long name and by letter."""
    rows = tuple(options)
    return Table(
        longs={row.long: row for row in rows if row.long},
        shorts={row.short: row for row in rows if row.short},
        equals=equals,
        mixed=mixed,
    )


def read(args: Sequence[str], known: Table) -> Invocation | Unread:
    """Take arguments apart: clusters, attached and separate values, ``--no-long``, ``--``, operands in between.

    A single ``-`` is an operand. Raises nothing; a word that the table does not explain ends the reading.

    >>> rows = table([Option("output", "o", value=True), Option("quiet", "q")])
    >>> found = read(["-qo", "f", "x", "--", "-y"], rows)
    >>> [(given.option.long, given.value) for given in found.options], found.operands
    ([('quiet', None), ('output', 'f')], ('x', '-y'))
    >>> read(["--quie"], rows)
    Unread(word='--quie', reason='unknown option')
    """
    options: list[Given] = []
    operands: list[int] = []
    words = iter(enumerate(args))
    for at, word in words:
        if word[:1] != "-" or word == "-":
            operands.append(at)
            if not known.mixed:
                break
        elif word == "--":
            break
        else:
            found = _long(word, at, words, known) if word[1] == "-" else _letters(word, at, words, known)
            if isinstance(found, Unread):
                return found
            options += found
    operands += [at for at, _ in words]  # empty unless something above ended the options
    return Invocation(tuple(options), tuple(args[at] for at in operands), tuple(operands))


def _long(word: str, at: int, words: Iterator[tuple[int, str]], known: Table) -> list[Given] | Unread:
    """Read ``--name``, ``--no-name``, ``--name=value``; the value may be the next of ``words``."""
    name, equals, attached = word[2:].partition("=")
    option = known.longs.get(name)
    on = True
    if option is None and name.startswith("no-"):
        option = known.longs.get(name[3:])
        on = False
        if option is not None and not option.negatable:
            return Unread(word, "an option that has no opposite")
    if option is None or (equals and not known.equals):
        return Unread(word, "unknown option")
    if not option.value and not option.optional:
        return Unread(word, "an option without a value") if equals else [Given(option, None, on, at)]
    if equals:
        return [Given(option, attached, on, at)]
    if option.optional:
        return [Given(option, None, on, at)]
    return _with_next(option, word, at, words)


def _letters(word: str, at: int, words: Iterator[tuple[int, str]], known: Table) -> list[Given] | Unread:
    """Read ``-abc``; the first letter that takes a value has the rest of the word, or the next of ``words``."""
    found: list[Given] = []
    for index, letter in enumerate(word[1:], start=2):
        option = known.shorts.get(letter)
        if option is None:
            return Unread(word, "unknown option")
        if not option.value and not option.optional:
            found.append(Given(option, None, not option.off, at))
            continue
        if index < len(word):
            return [*found, Given(option, word[index:], on=True, word=at)]
        if option.optional:
            return [*found, Given(option, None, on=True, word=at)]
        last = _with_next(option, word, at, words)
        return last if isinstance(last, Unread) else found + last
    return found


def _with_next(option: Option, word: str, at: int, words: Iterator[tuple[int, str]]) -> list[Given] | Unread:
    """Give the option the next word as its value, whatever that looks like."""
    for _, value in words:
        return [Given(option, value, on=True, word=at)]
    return Unread(word, "its value is missing")
