# SPDX-License-Identifier: Apache-2.0
"""Marks for stepscope in a Python program.

    import stepscope

    for index, batch in enumerate(batches):
        with stepscope.step(index):
            with stepscope.phase("forward"):
                ...

`phase` is also a decorator. `start` and `stop` bound what is recorded under
`stepscope profile --capture-range cudaProfilerApi -- python train.py`, where nothing is recorded
before the first `start`.

Without `stepscope profile` all of these do nothing: no library is loaded, and entering a phase
costs two empty Python calls. Nothing outside the standard library is imported.
"""

import os

from ._version import __version__

__all__ = ["phase", "step", "start", "stop", "is_profiled", "__version__"]


class _Functions:
    """What the injected library exports (collectors/inject/program_marks.cpp)."""

    def __init__(self, library):
        import ctypes

        self.begin = library.stepscope_range_begin
        self.begin.argtypes, self.begin.restype = [ctypes.c_char_p], None
        self.end = library.stepscope_range_end
        self.end.argtypes, self.end.restype = [], None
        self.capture = library.stepscope_capture
        self.capture.argtypes, self.capture.restype = [ctypes.c_int], None


def _connect():
    if "STEPSCOPE_OUTPUT" not in os.environ:
        return None
    try:
        import ctypes

        return _Functions(ctypes.CDLL(None))
    except (ImportError, OSError, AttributeError):
        return None  # this process was not given the library, or an older one


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __call__(self, function):
        return function


class _Range:
    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = name.encode("utf-8", "replace")

    def __enter__(self):
        _functions.begin(self._name)
        return self

    def __exit__(self, *_):
        _functions.end()
        return False

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def in_range(*arguments, **options):
            with self:
                return function(*arguments, **options)

        return in_range


_functions = _connect()
_nothing = _Nothing()


def phase(name):
    """A named part of a step, as a context manager or a decorator of a plain function."""
    return _nothing if _functions is None else _Range(name)


def step(index):
    """One iteration of the training loop: the range "step INDEX"."""
    return _nothing if _functions is None else _Range("step %d" % index)


def start():
    """Record from here on, where --capture-range cudaProfilerApi was asked for."""
    if _functions is not None:
        _functions.capture(1)


def stop():
    """Record no further, until the next start."""
    if _functions is not None:
        _functions.capture(0)


def is_profiled():
    """Whether this process runs under `stepscope profile`, so that marks reach it."""
    return _functions is not None
