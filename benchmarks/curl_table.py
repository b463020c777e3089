"""Make ``normalize/callkey/data/curl.toml`` from a list of curl's options.

``python -m benchmarks.curl_table ../shared/data/curl_options.json > normalize/callkey/data/curl.toml``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# What the list does not say was read in src/tool_getparam.c, of curl 7.88.1 and of the commit that the list names.

OPAQUE = """
    config next variable help manual version dump-ca-embed engine stderr libcurl remote-name-all
    test-duphandle test-event wdebug
"""
"""Options that read others from elsewhere, start another transfer, replace it, or depend on their place."""

SLOTS = {
    "auth": "anyauth basic digest negotiate ntlm ntlm-wb oauth2-bearer aws-sigv4 httpsig-algo",
    "cert": "cert pass",
    "data": "data data-ascii data-binary data-raw data-urlencode json",
    "eprt": "eprt disable-eprt",
    "epsv": "epsv disable-epsv",
    "fail": "fail fail-with-body",
    "form": "form form-string",
    "ftp-port": "ftp-pasv ftp-port",
    "ftp-ssl-ccc": "ftp-ssl-ccc ftp-ssl-ccc-mode",
    "http": "http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only",
    "include": "head include show-headers",
    "ipv": "ipv4 ipv6",
    "location": "location location-trusted follow",
    "output": "output remote-name out-null",
    "proxy": "proxy proxy1.0 socks4 socks4a socks5 socks5-hostname proxy-http2 proxy-http3",
    "proxy-cert": "proxy-cert proxy-pass",
    "proxy-service-name": "proxy-service-name socks5-gssapi-service",
    "resume": "continue-at range remove-on-error clobber",
    "socks5-auth": "socks5-basic socks5-gssapi",
    "speed": "speed-limit speed-time",
    "ssl": "ssl ftp-ssl ftp-ssl-control",
    "ssl-reqd": "ssl-reqd ftp-ssl-reqd",
    "tls": "sslv2 sslv3 tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tls-max",
    "trace": "verbose trace trace-ascii trace-config trace-ids trace-time",
    "unix-socket": "unix-socket abstract-unix-socket",
}
"""Options that set one thing, or look at what the other has set: their order among themselves counts."""

CHECKED = """
    head limit-rate rate create-file-mode max-redirs max-filesize ip-tos ftp-method local-port proto proto-redir
    delegation proto-default tls-max alt-svc hsts continue-at ech hostpubmd5 range write-out time-cond trace-config
    dns-ipv4-addr dns-ipv6-addr dns-interface dns-servers httpsig-algo httpsig-keyid httpsig-headers
"""
"""Options whose argument is parsed, read from a file or refused while options are read: a wrong one fails the
command even when another follows. ``--head`` and ``--no-head`` choose two methods, which is an error."""

SHORT = {"show-headers": None, "include": "i"}
"""``--include`` is the older name of ``--show-headers``, and every curl knows it."""


def row(option: dict[str, Any], slots: dict[str, str]) -> str:
    """Write one option as a line of TOML."""
    name: str = option["long"]
    short: str | None = SHORT.get(name, option["short"])
    # The n-th of these belongs to the n-th URL, so each counts, and what their opposite does is not worth knowing.
    paired = option.get("multi") == "per-URL"
    facts: list[str] = []
    if short:
        facts.append(f"short = {json.dumps(short)}")
    if option["takes_arg"]:
        facts.append("value = true")
    if option["negatable"] and not paired:
        facts.append("negatable = true")
    if short == "N":
        facts.append("off = true")
    if name in slots:
        facts.append(f'slot = "{slots[name]}"')
    if name in OPAQUE.split():
        facts.append("opaque = true")
    elif paired:
        pass
    elif name not in CHECKED.split() and (
        not option["takes_arg"] or (option.get("multi") in {"single", "mutex"} and option["type"] == "strg")
    ):
        facts.append("last = true")
    return f'"{name}" = {{ {", ".join(facts)} }}'


def main(path: str) -> None:
    """Write the table to standard output."""
    listed = json.loads(Path(path).read_text(encoding="utf-8"))
    slots = {name: slot for slot, names in SLOTS.items() for name in names.split()}
    meta = listed["meta"]
    sys.stdout.write(
        f"# curl {meta['curl_version']}, commit {meta['commit']}: {meta['source']}.\n"
        "# Made by benchmarks/curl_table.py.\n"
        "#\n"
        "# short, value, negatable, off: as in options.py.\n"
        "# slot: options of one slot set one thing, so their order among themselves counts.\n"
        "# last: given again with nothing else of its slot between, only the last one counts.\n"
        "# opaque: a command with this option is left alone.\n"
        "\n"
        f'version = "{meta["curl_version"]}"\n'
        "\n"
        "[options]\n"
    )
    for option in listed["options"]:
        sys.stdout.write(row(option, slots) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
