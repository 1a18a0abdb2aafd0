# SPDX-License-Identifier: Apache-2.0
"""The probe library under Python names. STEPSCOPE_PROBE is its path."""
import ctypes
import os
import sys

with_gil = ctypes.PyDLL(os.environ["STEPSCOPE_PROBE"])
without_gil = ctypes.CDLL(os.environ["STEPSCOPE_PROBE"])
for library in (with_gil, without_gil):
    library.probe_nanoseconds.restype = ctypes.c_double
    library.probe_found.restype = library.probe_missed.restype = ctypes.c_ulong
    for function in (library.probe_site, library.probe_foreign_thread, library.probe_worker_thread):
        function.restype = ctypes.c_char_p

FORMAT = {9: 2, 10: 1}.get(sys.version_info[1], 0)  # python::Lines


def line_table(code):
    return code.co_lnotab if FORMAT == 2 else code.co_linetable


CALLBACK = ctypes.CFUNCTYPE(None)


def remarks():
    out = ctypes.create_string_buffer(1 << 16)
    with_gil.probe_remarks(out, len(out))
    return out.value.decode()


def lines(code):
    """Our line of every code unit."""
    table, units = line_table(code), len(code.co_code) // 2
    out = (ctypes.c_int * units)()
    with_gil.probe_lines(FORMAT, table, len(table), code.co_firstlineno, out, units)
    return list(out)


def loops(code, as_it_runs=False):
    """Our loops as (begin, end, has an iterator), in code units; None where they are not known.

    as_it_runs: of the instructions that the interpreter has changed for its own use (3.11 and later)."""
    behind = handlers(code) if sys.version_info[:2] >= (3, 12) else []
    raw = code._co_code_adaptive if as_it_runs else code.co_code
    raw = raw[:2 * behind[0][0]] if behind else raw
    units = (ctypes.c_uint16 * (len(raw) // 2)).from_buffer_copy(raw)
    out = (ctypes.c_uint32 * 96)()
    count = with_gil.probe_loops(sys.version_info[1], units, len(units), out)
    return None if count < 0 else [tuple(out[3 * i:3 * i + 3]) for i in range(count)]


def handlers(code):
    """Our exception handlers as (begin, end, begin and end of what they guard), in code units."""
    table = code.co_exceptiontable
    out = (ctypes.c_uint32 * 256)()
    count = with_gil.probe_handlers(table, len(table), len(code.co_code) // 2, out)
    return [tuple(out[4 * i:4 * i + 4]) for i in range(count)]
