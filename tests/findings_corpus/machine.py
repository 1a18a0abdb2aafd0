# SPDX-License-Identifier: Apache-2.0
"""A host and a GPU of known latencies: executes what a loop does, and writes what a profiler would have recorded of it.

All times are microseconds. A launch is known to the device kLatency behind its call; a stream works first in, first out,
with kDispatch between two ops that were both ready; at most kQueue launches are outstanding. The record is text of
tests/cases/GRAMMAR.md. Shares no code with the rules or the replay: what an avoidable cost truly costs is found by
executing the program without it.
"""

import contextlib
import random

LATENCY, DISPATCH, QUEUE = 2.1, 1.0, 1000
PAGEABLE_RATE, PINNED_RATE = 5_000, 24_000  # bytes a microsecond
SAMPLE_EVERY = 1000
LOOP, ENGINE = "t1", "t2"


class Machine:
    def __init__(self, seed=None, captured=False):
        self.random = random.Random(seed) if seed is not None else None
        self.captured = captured  # as a CUDA graph would have it: what leads to a launch takes the host no time
        self.lines = []
        self.thread = LOOP
        self.now = 0.0
        self.free = {}  # stream: when its last op ends
        self.awaited = {}  # stream: what its next op waits for besides
        self.events = {}
        self.outstanding = []
        self.batch_ready = 0.0
        self.correlation = 0
        self.step_ends = []
        self.latest = 0.0
        self.nodes = 0

    # ---- the host ---------------------------------------------------------------------------------------------------
    def vary(self, us):
        return us * (1 + self.random.uniform(-0.035, 0.035)) if self.random else us

    def python(self, us, at=""):
        """Nothing is recorded while it runs but samples, where it is long."""
        begin = self.now
        self.now += self.vary(us)
        for sample in range(int(us / SAMPLE_EVERY) if at else 0):
            time = begin + 300 + sample * SAMPLE_EVERY
            self.write(f"sample {self.thread} {time:.3f} cpu={time:.3f}", at)

    def dispatch(self, us):
        """On the way to a launch: a captured graph does without."""
        self.now += 0 if self.captured else self.vary(us)

    def number(self):
        """The number of the autograd node that is made next."""
        self.nodes += 1
        return self.nodes

    def write(self, text, at=""):
        self.lines.append(text + (f" at={at}" if at else ""))

    def write_call(self, api, begin, stream, at):
        """Writes the call of the op that was issued last."""
        self.write(f"call {self.thread} {begin:.3f} {self.now:.3f} {api} id={self.correlation} stream=s{stream}", at)

    @contextlib.contextmanager
    def range(self, kind, name, at=""):
        begin = self.now
        yield
        self.write(f'{kind} {self.thread} {begin:.3f} {self.now:.3f} "{name}"', at)

    def phase(self, name):
        return self.range("scope", name)

    @contextlib.contextmanager
    def step(self):
        begin = self.now
        yield
        self.write(f"scope {LOOP} {begin:.3f} {self.now:.3f} ProfilerStep#{len(self.step_ends)}")
        self.latest = max(self.latest, self.now)
        self.step_ends.append(self.latest)

    @contextlib.contextmanager
    def backward_thread(self):
        """Autograd's engine acts for the loop, which sleeps meanwhile."""
        self.now += 1
        self.thread = ENGINE
        yield
        self.thread = LOOP
        self.now += 1

    def call(self, api, us, at, options=""):
        begin = self.now
        self.now += self.vary(us)
        self.write(f"call {self.thread} {begin:.3f} {self.now:.3f} {api}{options}", at)

    # ---- the device -------------------------------------------------------------------------------------------------
    def enqueue(self, stream, us, known_at):
        begin = known_at
        for before in [self.free.get(stream, 0), *self.awaited.pop(stream, [])]:
            begin = max(begin, before + DISPATCH if before else 0)
        end = begin + us
        self.free[stream] = end
        self.outstanding.append(end)
        self.latest = max(self.latest, end)
        return begin, end

    def wait_for_room(self):
        if len(self.outstanding) < QUEUE:
            return
        self.outstanding = [end for end in self.outstanding if end > self.now]
        if len(self.outstanding) >= QUEUE:
            self.now = sorted(self.outstanding)[len(self.outstanding) - QUEUE]

    def launch(self, kernel, us, at="", stream=7, blocks=4096):
        begin = self.now
        self.wait_for_room()
        self.dispatch(4)
        self.correlation += 1
        known = self.now + LATENCY
        start, end = self.enqueue(stream, self.vary(us), known)
        self.write_call("cudaLaunchKernel", begin, stream, at)
        self.write(f'kernel s{stream} {start:.3f} {end:.3f} "{kernel}" id={self.correlation} blocks={blocks}')
        return end

    def op(self, name, kernels, at="", host=7, stream=7, blocks=4096, number=None):
        """A framework's operation: its own work, then a launch for each kernel. It makes the node of that number."""
        begin = self.now
        end = 0
        for kernel, us in kernels:
            self.dispatch(host)
            end = self.launch(kernel, us, at, stream, blocks)
        self.dispatch(2)
        numbered = f" seq={number} at={at}" if number else ""
        self.write(f"op {self.thread} {begin:.3f} {self.now:.3f} {name}{numbered}")
        self.dispatch(3)
        return end

    def node(self, name, kernels, host=7, stream=7, number=None):
        begin = self.now
        self.op(name, kernels, "", host, stream)
        name = f"{name}Backward0 seq={number}" if number else f"{name}Backward0"
        self.write(f"node {self.thread} {begin:.3f} {self.now:.3f} {name}")

    def accumulate(self, kernel, us, host=7):
        begin = self.now
        self.op("aten::add_", [(kernel, us)], "", host)
        self.write(f"node {self.thread} {begin:.3f} {self.now:.3f} torch::autograd::AccumulateGrad")

    def copy(self, kind, source, target, size, us, at, call_us, stream=7, waits=False):
        """One copy; with `waits` the call returns behind it."""
        begin = self.now
        self.wait_for_room()
        self.now += self.vary(call_us)
        self.correlation += 1
        start, end = self.enqueue(stream, self.vary(us), self.now + LATENCY)
        if waits:
            self.now = max(self.now, end) + 5
        self.write_call("cudaMemcpyAsync", begin, stream, at)
        self.write(f"copy s{stream} {start:.3f} {end:.3f} {kind} {source} {target} id={self.correlation} bytes={size}")
        return end

    def stream_sync(self, at, stream=7):
        begin = self.now
        self.now = max(self.now + 2, self.free.get(stream, 0) + 5)
        self.write(f"call {self.thread} {begin:.3f} {self.now:.3f} cudaStreamSynchronize stream=s{stream}", at)

    def read(self, at, stream=7):
        """.item(): a copy to the host that waits for all before it."""
        begin = self.now
        self.now += 3
        self.copy("d2h", "device", "pageable", 4, 1.3, at, 5, stream, waits=True)
        self.stream_sync(at, stream)
        self.now += 2
        self.write(f"op {self.thread} {begin:.3f} {self.now:.3f} aten::item")

    def upload(self, size, at, pageable, stream=7):
        if not pageable:
            self.copy("h2d", "pinned", "device", size, 2 + size / PINNED_RATE, at, 5, stream)
        elif size <= 65536:
            self.copy("h2d", "pageable", "device", size, 1.4, at, 6, stream)
            self.stream_sync(at, stream)
        else:  # staged: the call waits for the stream, copies, and returns a little before the end
            begin = self.now
            self.now = max(self.now, self.free.get(stream, 0)) + 4
            self.correlation += 1
            start, end = self.enqueue(stream, self.vary(size / PAGEABLE_RATE), self.now)
            self.now = max(self.now, end - 12)
            self.write_call("cudaMemcpyAsync", begin, stream, at)
            self.write(f"copy s{stream} {start:.3f} {end:.3f} h2d pageable device id={self.correlation} bytes={size}")
            self.stream_sync(at, stream)

    def free_memory(self, us, at):
        """cudaFree waits for the device."""
        begin = self.now
        self.now = max(self.now, *self.free.values()) + us
        self.write(f"call {self.thread} {begin:.3f} {self.now:.3f} cudaFree", at)

    def record_event(self, event, stream):
        self.events[event] = self.free.get(stream, 0)
        self.call("cudaEventRecord", 1, "", f" stream=s{stream} event={event}")

    def wait_event(self, event, stream):
        self.awaited.setdefault(stream, []).append(self.events[event])
        self.call("cudaStreamWaitEvent", 1, "", f" stream=s{stream} event={event}")

    def next_batch(self, every, at="", ahead=4):
        """From a loader's workers, which make one `every` us and keep some ready."""
        begin = self.now
        self.batch_ready = max(self.batch_ready + every, self.now - ahead * every)
        self.now = max(self.now + 20, self.batch_ready)
        self.write(f"scope {LOOP} {begin:.3f} {self.now:.3f} "
                   '"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"', at)

    def unpack_batch(self, tensors, us, at=""):
        """A worker has it ready; each of its tensors is mapped by itself."""
        begin = self.now
        self.now += 20
        for _ in range(tensors):
            self.now += self.vary(us)
            self.write(f"op {LOOP} {self.now:.3f} {self.now + 2:.3f} aten::empty")
            self.write(f"op {LOOP} {self.now + 5:.3f} {self.now + 7:.3f} aten::set_")
            self.now += 8
        self.write(f"scope {LOOP} {begin:.3f} {self.now:.3f} "
                   '"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"', at)

    def counter(self, track, value):
        self.write(f"counter {track} {self.now:.3f} {value}")

    # ---- the whole --------------------------------------------------------------------------------------------------
    def finish(self):
        begin = self.now
        self.now = max(self.now, *self.free.values()) + 5
        self.write(f"call {LOOP} {begin:.3f} {self.now:.3f} cudaDeviceSynchronize")

    def step_us(self):
        """The true mean step, the first one left out."""
        return (self.step_ends[-1] - self.step_ends[0]) / (len(self.step_ends) - 1)

    def text(self):
        head = ["source stepscope", "collected api_arguments yes", "multiprocessors 132"]
        return "\n".join([*head, *self.lines, f"expect steps {len(self.step_ends)}", ""])
