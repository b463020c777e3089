"""The rules about requests, in the order in which they apply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..request import Request
from .drop_default_method import drop_default_method
from .drop_quiet_options import drop_quiet_options
from .drop_transport_limits import drop_transport_limits
from .expand_json import expand_json
from .join_data import join_data
from .order_curl_options import order_curl_options
from .order_headers import order_headers
from .sort_query import sort_query
from .spell_url import spell_url

RequestRule: TypeAlias = Callable[[Request], Request]

REQUEST_RULES: tuple[RequestRule, ...] = (
    spell_url,
    sort_query,
    expand_json,
    join_data,
    order_headers,
    drop_default_method,
    drop_quiet_options,
    drop_transport_limits,
    order_curl_options,
)
