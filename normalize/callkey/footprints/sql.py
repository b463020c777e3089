"""Read SQL far enough to know that it only asks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .arguments import Argument
from .facts import Usage
from .footprint import Footprint
from .usage import Reading

if TYPE_CHECKING:
    from .execution import Runner

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|--(?=\s|\Z)[^\n]*)    # in MySQL 5--1 is no comment
    | (?P<string>'(?:[^'\\]|'')*')            # a backslash may escape the quote or not, by dialect and setting
    | (?P<quoted>"(?:[^"\\]|"")*"|`[^`\\]*`|\[[\w .]*\])
    | (?P<call>[A-Za-z_]\w*(?=(?:\s|--(?=\s)[^\n]*)*+\())
    | (?P<word>[A-Za-z_]\w*)
    | (?P<number>\d[\w.]*|\.\d\w*)
    | (?P<end>;)
    | (?P<other>-(?!-)|[+*/%=<>!|&~^?:,.(){}@])  # no #: an operator or a comment
    """,
    re.VERBOSE,
)
_SHELL_LINE = re.compile(r"!!|^[ \t]*:", re.MULTILINE)  # sqlcmd: runs a command, reads a file

# What moves by itself. PostgreSQL 16, 9.9 and 28.2; MySQL 8, 14.7 and chapters 28 to 30; SQLite 3.46, "Date And Time
# Functions"; SQL Server 2022, "System Dynamic Management Views".
_MOVING = re.compile(
    r"""
      \b(?:now|today|tomorrow|yesterday)\b      # 'now'::timestamptz, timestamp 'today', date('now')
    | \bcurrent_(?:date|time) | \blocaltime | \bsysdate | \bsubsec | \bsample\b | @@
    | \b(?:date|time|datetime|julianday|unixepoch)\s*+\(\s*+\)
    | \bstrftime\s*+\((?:'[^']*'|[^',()])*+\)    # no time is the present one
    | \bpg_(?:stat|locks|replication|prepared_xacts|cursors) | processlist | performance_schema | \binnodb_
    | \bsys(?:schema)?\s*\. | \bdm_ | \A\s*show\b[^;]*\b(?:status|open|logs)\b | \A\s*\.timer
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOCKS = frozenset(
    "now clock_timestamp statement_timestamp transaction_timestamp timeofday localtime localtimestamp current_date"
    " current_time current_timestamp age curdate curtime unix_timestamp utc_date utc_time utc_timestamp sysdate"
    " getdate getutcdate sysdatetime sysutcdatetime sysdatetimeoffset"
    " random rand randomblob uuid uuid_short gen_random_uuid uuid_generate_v4 newid".split()
)
_CALLS = re.compile(r"\b([A-Za-z_]\w*+)\s*+\(")
_REMARK = re.compile(r"""(?P<kept>'[^']*'|"[^"]*"|`[^`]*`)|--(?=\s|\Z)[^\n]*""")
_COMMENT = re.compile(r"/\*")  # may hold code (MySQL) or nest (PostgreSQL): not read

# What may begin a statement, and what follows nothing but such a beginning. SQL:2016; PostgreSQL 16, MySQL 8, SQLite 3.
_ASKING = frozenset("select show describe desc explain values with table".split())
_WRITING = frozenset(
    "insert update delete merge replace drop create alter truncate grant revoke into copy call do execute exec prepare"
    " set reset lock unlock vacuum analyze reindex cluster refresh attach detach load install import export pragma use"
    " begin start commit rollback savepoint release declare fetch listen notify kill shutdown outfile dumpfile handler"
    " optimize repair rename flush purge backup restore checkpoint for deny reconfigure dbcc".split()
)
_PURE = frozenset(
    "abs avg cast ceil ceiling char_length coalesce concat count cume_dist date date_part date_trunc datetime day"
    " dense_rank extract first_value floor group_concat hex hour ifnull iif in instr isnull json_extract julianday"
    " lag last_value lead left length like lower lpad ltrim max min minute mod month not ntile nullif octet_length on"
    " over partition percent_rank position power quote rank regexp_replace replace right round row_number rpad rtrim"
    " second sign split_part sqrt stddev strftime string_agg substr substring sum time to_char total trim trunc"
    " timediff typeof unicode unixepoch upper using values variance version and or as by from join select where when"
    " then else exists any all distinct between union intersect except having limit offset is"
    " current_database current_schema current_user database schema user pg_size_pretty pg_database_size"
    " pg_relation_size pg_table_size pg_total_relation_size array_agg json_agg numeric decimal varchar char".split()
)
_DOT_COMMANDS = frozenset(
    ".tables .schema .indexes .indices .databases .dbinfo .show .help .headers .header .mode .fullschema .width .print"
    " .nullvalue .timer .separator .version".split()
)
# psql 16: \d and its family; not \o, \w, \copy, \!, \i, \g
_BACKSLASH = re.compile(r"\\(?:d[A-Za-z]*[S+]*|l\+?|z|conninfo|encoding|timing|x|sf\+?|sv\+?|h)(?:\s+[\w.*\"]+)?\s*")


def run_sql(usage: Usage, reading: Reading, _: Runner) -> Footprint | None:
    """Judge a database client by the statements among its arguments; without one it reads them from its input."""
    texts: list[Argument | None] = reading.values(*(usage.needs or ()))
    if not usage.needs:
        texts = [*reading.values("-cmd"), *reading.operands[1:]]
    if texts and all(isinstance(text, str) and _only_asks(text, _PURE | _CLOCKS) for text in texts):
        moves = any(isinstance(text, str) and moves_by_itself(text) for text in texts)
        return replace(usage.footprint, varies=True) if moves else usage.footprint
    return None


def moves_by_itself(text: str) -> bool:
    """Say whether the answer to a question may change though nobody wrote: clocks, random numbers, the server's state.

    >>> moves_by_itself("SELECT now()"), moves_by_itself("SELECT a FROM t")
    (True, False)
    """
    code = _REMARK.sub(r"\g<kept> ", text)
    return _MOVING.search(code) is not None or any(call.lower() in _CLOCKS for call in _CALLS.findall(code))


def only_asks(text: str) -> bool:
    r"""Say whether the text is one statement, and a question that calls no clock.

    >>> only_asks("SELECT count(*) FROM t;"), only_asks("DELETE FROM t"), only_asks(r"\dt")
    (True, False, True)
    """
    return _only_asks(text, _PURE)


def _only_asks(text: str, calls: frozenset[str]) -> bool:
    if _SHELL_LINE.search(text):
        return False
    if text.lstrip().startswith("."):
        return text.split(maxsplit=1)[0] in _DOT_COMMANDS and "|" not in text and "\n" not in text.strip()
    if text.lstrip().startswith("\\"):
        return _BACKSLASH.fullmatch(text.strip()) is not None
    fresh = True
    ended = False
    at = 0
    previous = ""
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or _COMMENT.match(text, at):
            return False
        at = match.end()
        word = match.group().lower()
        kind = match.lastgroup
        if kind == "blank":
            continue
        if ended:
            return False  # where one statement ends, clients do not agree
        if kind == "end":
            ended = True
            continue
        if fresh and (kind not in {"word", "call"} or word not in _ASKING):
            return False
        fresh = False
        if previous == "quoted" and word == "(":
            return False  # "pg_terminate_backend"(1)
        previous = kind or ""
        if (kind == "word" and word in _WRITING) or (kind == "call" and word not in calls):
            return False
    return True
