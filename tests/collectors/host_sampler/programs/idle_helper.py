# SPDX-License-Identifier: Apache-2.0
"""A helper that opens libraries of the interpreter and waits."""
import ctypes  # noqa: F401
import decimal  # noqa: F401
import json  # noqa: F401
import time

time.sleep(0.5)
