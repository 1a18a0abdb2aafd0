# SPDX-License-Identifier: Apache-2.0
"""Tables of a .sst payload as numpy arrays: core/store/FORMAT.md, section Tables. Only the columns that scope_file.py
wants are decoded."""

import struct

import numpy

BEGIN, DURATION, NAME = 0, 1, 2
DEFAULT = (0, numpy.zeros(1, numpy.uint8))
THREAD = 3  # column of host ranges
TIME, TRACK, VALUE = 0, 1, 3  # columns of counters


def varints(data):
    """All varints of an array of bytes, as uint64."""
    ends = numpy.flatnonzero(data < 0x80)
    starts = numpy.concatenate(([0], ends[:-1] + 1)).astype(numpy.int64)
    lengths = ends - starts + 1
    values = numpy.zeros(len(ends), numpy.uint64)
    for place in range(int(lengths.max(initial=0))):
        has = lengths > place
        low = (data[starts[has] + place] & 0x7F).astype(numpy.uint64)
        values[has] |= low << numpy.uint64(7 * place)
    return values


def signed(values):
    """Zigzag, modulo 2^64: the sign bit of the result wraps as in the format."""
    return (values >> numpy.uint64(1)) ^ (numpy.uint64(0) - (values & numpy.uint64(1)))


def chained(values, durations):
    """Even: gap to the end before, doubled; odd: zigzag to the begin before, doubled, plus one."""
    half = values >> numpy.uint64(1)
    before = numpy.concatenate((numpy.zeros(1, numpy.uint64), durations[:-1]))
    step = numpy.where(values & numpy.uint64(1), signed(half), before + half)
    return numpy.cumsum(step, dtype=numpy.uint64)


def sparse(values):
    """0 for 0, else 1 + zigzag of the difference to the last that was not 0."""
    held = values != 0
    values[held] = numpy.cumsum(signed(values[held] - numpy.uint64(1)), dtype=numpy.uint64)
    return values


def column(encoding, data, rows, durations=None):
    if encoding == 0:
        return numpy.full(rows, varints(data)[0], numpy.uint64)
    if encoding == 4:
        return data.astype(numpy.uint64)
    if encoding == 5:
        return numpy.frombuffer(data.tobytes(), numpy.float64)
    values = varints(data)
    if encoding == 2:
        return numpy.cumsum(signed(values), dtype=numpy.uint64)
    if encoding == 3:
        return sparse(values)
    return chained(values, durations) if encoding == 6 else values


def rows_of(body):
    """How many, and where the columns begin."""
    at = next(i for i, byte in enumerate(body) if byte < 0x80) + 1
    return int(varints(numpy.frombuffer(body[:at], numpy.uint8))[0]), at


def parts_of(body):
    """Rows, and the encoding and data of each column."""
    (rows, at), parts = rows_of(body), {}
    while at < len(body):
        identity, encoding, length = struct.unpack_from("<BBI", body, at)
        parts[identity] = (encoding, numpy.frombuffer(body, numpy.uint8, length, at + 6))
        at += 6 + length
    return rows, parts


def one(rows, parts, identity):
    return column(*parts.get(identity, DEFAULT), rows)


def table(body, kind_column):
    """begin, end, name id and kind of each row; the other columns are left alone."""
    rows, parts = parts_of(body)
    durations = one(rows, parts, DURATION)
    begin = column(*parts.get(BEGIN, DEFAULT), rows, durations)
    name, kind = (one(rows, parts, i) for i in (NAME, kind_column))
    return [begin.view(numpy.int64), (begin + durations).view(numpy.int64), name.astype(numpy.int64), kind]


def correlations(body, identity):
    return one(*parts_of(body), identity)


def threads(body):
    """The thread id of each host range: within the session."""
    return one(*parts_of(body), THREAD)


def counters(body):
    """time, track name id, value of each row"""
    rows, parts = parts_of(body)
    return [one(rows, parts, TIME).view(numpy.int64), one(rows, parts, TRACK).astype(numpy.int64),
            one(rows, parts, VALUE)]
