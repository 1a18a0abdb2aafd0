# SPDX-License-Identifier: Apache-2.0
"""Reads device ops and host ranges out of a .scope folder, from core/store/FORMAT.md, with no code shared with core.

A recording is one .sst file (one process). Its tables are numpy arrays, a row an event, in the order of the file:
begin, end (ns since the Unix epoch), name (index into `names`), kind (numbered as in core/model/events.hpp).
Checksums are not verified here (`stepscope report` does that); a torn chunk is skipped up to the next magic.
"""

import ctypes
import dataclasses
import functools
import mmap
import os
import struct

import numpy

from scope_columns import correlations, counters, rows_of, signed, table, threads, varints

FILE_MAGIC, CHUNK_MAGIC = b"\x89SST\r\n\x1a\n", b"\xf5SCK"
STRINGS, HEALTH, HOST_RANGES, CALLS, DEVICE_OPS, COUNTERS, EXIT = 1, 12, 16, 17, 18, 20, 32
KIND_COLUMN = {HOST_RANGES: 4, DEVICE_OPS: 3}
CORRELATION_COLUMN = {CALLS: 2, DEVICE_OPS: 5}
KERNEL, MEMCPY, MEMSET = 0, 1, 2


@dataclasses.dataclass
class Table:
    begin: numpy.ndarray
    end: numpy.ndarray
    name: numpy.ndarray
    kind: numpy.ndarray


@dataclasses.dataclass
class Recording:
    path: str
    names: list
    device_ops: Table
    host_ranges: Table
    dropped: int
    zero_timestamps: int
    finished: bool  # it ended with its own footer: nobody had to salvage it
    host_threads: numpy.ndarray = None  # a number a host range, where one session wrote the file
    counters: dict = dataclasses.field(default_factory=dict)  # {track: [(time, value)]}
    correlations: dict = dataclasses.field(default_factory=dict)  # {CALLS or DEVICE_OPS: an id a row}


def strings(body):
    """(first id, texts)"""
    place = 0

    def number():
        nonlocal place
        value = shift = 0
        while True:
            byte = body[place]
            place, value, shift = place + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    first, texts = number(), []
    for _ in range(number()):
        length = number()
        texts.append(body[place:place + length].decode("utf-8", "surrogateescape"))
        place += length
    return first, texts


@functools.lru_cache(None)
def zstd():
    library = ctypes.CDLL("libzstd.so.1")
    size, pointer = ctypes.c_size_t, ctypes.c_char_p
    library.ZSTD_decompress.restype, library.ZSTD_decompress.argtypes = size, [pointer, size, pointer, size]
    return library


def decompress(stored, raw_bytes):
    raw = ctypes.create_string_buffer(raw_bytes)
    if zstd().ZSTD_decompress(raw, raw_bytes, stored, len(stored)) != raw_bytes:
        raise ValueError("a payload does not decompress")
    return raw.raw


def chunks(data):
    """(session, payload) of each whole chunk."""
    at = struct.unpack_from("<I", data, 12)[0]
    while (at := data.find(CHUNK_MAGIC, at)) >= 0 and at + 64 <= len(data):
        kind, codec, stored, raw = struct.unpack_from("<HBxII", data, at + 4)
        session = struct.unpack_from("<I", data, at + 32)[0]
        if kind not in (1, 2) or at + 64 + stored > len(data):
            at += 1
            continue
        payload = data[at + 64:at + 64 + stored]
        yield session, payload if codec == 0 else decompress(payload, raw)
        at += 64 + stored


def sections(payload):
    at = 0
    while at < len(payload):
        identity, length = struct.unpack_from("<HI", payload, at)
        yield identity, payload[at + 6:at + 6 + length]
        at += 6 + length


class _Names:
    """Joins the sessions' string ids: the same text has one number."""

    def __init__(self):
        self.texts, self._numbers, self._of_session = [], {}, {}

    def add(self, session, first, texts):
        ids = self._of_session.setdefault(session, {0: self._number("")})
        for i, text in enumerate(texts):
            ids[first + i] = self._number(text)

    def _number(self, text):
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]

    def resolve(self, session, ids):
        known = self._of_session.get(session, {0: self._number("")})
        lost = self._number("(lost name)")
        used, inverse = numpy.unique(ids, return_inverse=True)
        return numpy.array([known.get(int(i), lost) for i in used], numpy.int64)[inverse]


def _joined(tables):
    if not tables:
        return Table(*(numpy.zeros(0, numpy.int64) for _ in range(4)))
    return Table(*(numpy.concatenate(columns) for columns in zip(*tables)))


def read_file(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != FILE_MAGIC:
        raise ValueError(f"{path} is no .sst file")
    names, tables, health, finished = _Names(), {HOST_RANGES: [], DEVICE_OPS: []}, {}, False
    host_threads, tracks = [numpy.zeros(0, numpy.uint64)], {}
    ids_of = {CALLS: [numpy.zeros(0, numpy.uint64)], DEVICE_OPS: [numpy.zeros(0, numpy.uint64)]}
    for session, payload in chunks(data):
        for identity, body in sections(payload):
            if identity == STRINGS:
                names.add(session, *strings(body))
            elif identity in tables:
                rows = table(body, KIND_COLUMN[identity])
                rows[2] = names.resolve(session, rows[2])
                tables[identity].append(rows)
                if identity == HOST_RANGES:
                    host_threads.append(threads(body))
            elif identity == COUNTERS:
                times, ids, values = counters(body)
                for time, name, value in zip(times, names.resolve(session, ids), values):
                    tracks.setdefault(names.texts[name], []).append((int(time), float(value)))
            elif identity == HEALTH:
                health[session] = signed(varints(numpy.frombuffer(body, numpy.uint8)))
            if identity in CORRELATION_COLUMN:
                ids_of[identity].append(correlations(body, CORRELATION_COLUMN[identity]))
            finished |= identity == EXIT
    return Recording(path, names.texts, _joined(tables[DEVICE_OPS]), _joined(tables[HOST_RANGES]), *_health(health), finished,
                     numpy.concatenate(host_threads), tracks,
                     {identity: numpy.concatenate(ids) for identity, ids in ids_of.items()})


def _health(of_sessions):
    """Dropped records and those without a time."""
    return [sum(int(h[i]) for h in of_sessions.values() if len(h) > i) for i in (0, 1)]


@dataclasses.dataclass
class Totals:
    """What a file of any size holds, without its columns."""
    rows: dict  # {HOST_RANGES, CALLS, DEVICE_OPS or COUNTERS: how many}
    dropped: int
    zero_timestamps: int


def totals(path):
    rows, health = dict.fromkeys((HOST_RANGES, CALLS, DEVICE_OPS, COUNTERS), 0), {}
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for session, payload in chunks(data):
            for identity, body in sections(payload):
                if identity in rows:
                    rows[identity] += rows_of(body)[0]
                elif identity == HEALTH:
                    health[session] = signed(varints(numpy.frombuffer(body, numpy.uint8)))
    return Totals(rows, *_health(health))


def stores(scope):
    """Paths of the files, one a process."""
    return [os.path.join(scope, name) for name in sorted(os.listdir(scope)) if name.endswith(".sst")]


def read(scope):
    """One recording a process."""
    return [read_file(path) for path in stores(scope)]
