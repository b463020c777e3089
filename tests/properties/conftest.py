"""How hard the properties look: ``HYPOTHESIS_PROFILE=dev`` (the default), ``ci``, or ``soak``."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

for name, examples in {"dev": 40, "ci": 250, "soak": 20_000}.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,  # a case starts processes: time says nothing about the engine
        derandomize=name == "ci",
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
