"""Usage reports of dependencies to their makers are switched off, in this process and in those that it starts.

``sfumato/__init__`` calls ``switch_off`` before anything imports these dependencies: onnxruntime makes its device id
and its queue of events while it is imported. A value in the user's own environment is left as it is.
"""

from __future__ import annotations

import os
import sys
import warnings

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface-hub, for transformers and sentence-transformers, too
    "RAY_USAGE_STATS_ENABLED": "0",  # Ray
}
"""Variables of the environment, and the value that switches reports off."""


def switch_off() -> None:
    """Set the variables that have no value yet."""
    is_late = "onnxruntime" in sys.modules and not os.environ.get("ORT_DISABLE_TELEMETRY")
    for name, value in SWITCHES.items():
        if not os.environ.get(name):
            os.environ[name] = value
    if is_late:
        # Its device id and the event of its start are made already, and may be sent; this stops further events.
        sys.modules["onnxruntime"].disable_telemetry_events()
        warnings.warn(
            "onnxruntime was imported before sfumato, with its reports to Microsoft on: set ORT_DISABLE_TELEMETRY=1, "
            "or import sfumato first",
            RuntimeWarning,
            stacklevel=3,
        )
