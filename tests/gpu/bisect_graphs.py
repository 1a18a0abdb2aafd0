#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which part of recording breaks programs whose CUDA graphs get new parameters between launches: XLA's command buffers.

  bisect_graphs.py --stepscope BIN [--out FOLDER] [--budget 200] [--repeats 2] [--program "python3 p.py ARGUMENTS"]

By hand, on a GPU, in one command. The machine needs no network, but
  - nvcc, for programs/graph_updates.cu (else give --graph-updates BINARY, linked with -lcuda);
  - for the JAX program, an interpreter (--python) with numpy, jax and its CUDA plugin (wheels jax, jaxlib, jax-cuda13-plugin,
    jax-cuda13-pjrt and the nvidia-* wheels that these name), and for the program that is known to end,
    keras (wheels keras, absl-py, h5py, ml-dtypes, namex, numpy, optree, packaging, rich, markdown-it-py, mdurl, pygments).
    Where keras is missing, programs/jax_copies.py stands in for it.

The fault comes and goes: a setting is judged by --repeats runs, and one clean run is no evidence.
  1. programs/graph_updates.cu, without JAX: which nodes and which updates break, plain, under CUPTI alone
     (STEPSCOPE_BARE_CUPTI=records), under the recorder with nodes, and with whole graphs.
  2. The JAX program: plain; as recorded by default; with whole graphs; under CUPTI alone. Where the default is not clean: under
     our callbacks alone, and CUPTI alone with whole graphs.
  3. Where the default breaks and CUPTI alone does not: our parts are left out (STEPSCOPE_WITHOUT), first all, then ever
     smaller sets, until the smallest set is known whose absence mends it.
--native-only takes a minute, --jax-first leaves part 1 to the time that is left.
Exit 0: the default was clean in every run, and a launch of a graph without JAX was one op;
1: it was not; 77: no GPU.
"""

import dataclasses
import os
import shlex
import shutil
import subprocess
import sys
import time

import scope_file
import support

KINDS = ["kernel", "memcpy", "memset", "graph", "other"]  # DeviceOpKind
GRAPH = KINDS.index("graph")
PARTS = ["calls", "graph_nodes", "streams", "lines", "resources", "state", "overhead", "flush"]
BARE = {"STEPSCOPE_BARE_CUPTI": "records"}


@dataclasses.dataclass
class Setting:
    name: str
    recorded: bool = True
    words: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)


PLAIN = Setting("plain", recorded=False)
NODES = Setting("recorder, nodes", words=("--graphs", "nodes"))
WHOLE = Setting("recorder, whole", words=("--graphs", "whole"))
BARE_NODES = Setting("CUPTI alone, nodes", words=("--graphs", "nodes"), environment=BARE)
BARE_WHOLE = Setting("CUPTI alone, whole", words=("--graphs", "whole"), environment=BARE)
DEFAULT = Setting("recorder, default")
LIGHT = Setting("recorder, nodes, light", words=("--graphs", "nodes", "--level", "light"))
CALLS_ALONE = Setting("recorder, no device records", environment={"STEPSCOPE_WITHOUT": "records,overhead"})
BLOCKING = Setting("recorder, nodes, blocking launches", words=("--graphs", "nodes"), environment={"CUDA_LAUNCH_BLOCKING": "1"})
WITHOUT_NVTX = Setting("recorder, nodes, no NVTX", words=("--graphs", "nodes"), environment={"NVTX_INJECTION64_PATH": "/nowhere"})
UPDATES = [("kernels", "none"), ("kernels", "params"), ("copies", "none"), ("copies", "params"), ("copies", "graph"), ("sets", "params")]


def without(parts):
    return Setting(f"nodes, without {','.join(parts)}", words=("--graphs", "nodes"), environment={"STEPSCOPE_WITHOUT": ",".join(parts)})


def first_complaint(text):
    """Returns the first line of a program's output that reports an error; lines of JSON are its results."""
    for line in text.splitlines():
        if not line.startswith("{") and any(word in line for word in ("CUDA_ERROR", "cudaError", "Error:", "Segmentation")):
            return line.strip()[:110]
    return ""


class Bench:
    """Runs settings until the budget is spent, and keeps a row of each."""

    def __init__(self, options):
        self.options = options
        self.deadline = time.monotonic() + options.budget
        self.rows = []
        self.scope = os.path.join(options.out, "bisect.scope")

    def left_s(self):
        return self.deadline - time.monotonic()

    def once(self, command, setting):
        wanted = support.profile_command(self.options, self.scope, command, setting.words) if setting.recorded else command
        done = support.run(wanted, limit_s=min(self.options.limit, max(5, self.left_s())), **setting.environment)
        return done.status, first_complaint(done.stdout + "\n" + done.stderr)

    def clean(self, program, command, setting, repeats):
        """True: each run ended with 0. None: there was no time for one."""
        statuses, complaint = [], ""
        begin = time.monotonic()
        for _ in range(repeats):
            if self.left_s() < 5:
                break
            status, said = self.once(command, setting)
            statuses.append(status)
            complaint = complaint or (said if status else "")
            if status:
                break  # it is known to break
        if not statuses:
            return None
        row = {"program": program, "setting": setting.name, "statuses": statuses, "complaint": complaint,
               "seconds": round(time.monotonic() - begin, 1)}
        self.rows.append(row)
        print(f"{program:<28} {setting.name:<44} {' '.join(map(str, statuses)):<12} {row['seconds']:6.1f} s  {complaint}", flush=True)
        return not any(statuses)


def ops_of(scope):
    """{kind: how many} of a trace's device ops."""
    counts = {}
    for recording in scope_file.read(scope):
        for kind in recording.device_ops.kind.tolist():
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def missing_ops(counts, launches):
    """'' where each launch is one op and no kernel of a graph is one beside."""
    graphs, kernels = counts.get(GRAPH, 0), counts.get(scope_file.KERNEL, 0)
    return "" if graphs == launches and kernels == 0 else f"{graphs} graphs and {kernels} kernels recorded of {launches} launches"


def native(bench, options):
    binary = options.graph_updates or support.compile_cuda("graph_updates", options.out, "-lcuda")
    for nodes, update in UPDATES:
        for busy in ((), ("busy",)) if (nodes, update) == ("copies", "params") else ((),):
            command = [binary, nodes, update, str(options.launches), *busy]
            for setting in (PLAIN, BARE_NODES, NODES, WHOLE):
                clean = bench.clean(" ".join([nodes, update, *busy]), command, setting, options.native_repeats)
            if clean:
                bench.rows[-1]["missing"] = missing_ops(ops_of(bench.scope), options.launches)
                print(bench.rows[-1]["missing"] or "  each launch is one op", flush=True)


def has_module(python, name):
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec('{name}') is None)"
    return subprocess.run([python, "-c", look], capture_output=True).returncode == 0


def jax_program(options):
    """(name, command), or None where there is no jax."""
    if options.program:
        return "program", shlex.split(options.program)
    if not has_module(options.python, "jax"):
        return None
    if has_module(options.python, "keras"):
        keras = os.path.join(support.HERE, "..", "corpus", "programs", "lib_keras_jax.py")
        return "keras on jax", [options.python, keras, "--device", "cuda", "--steps", str(options.steps)]
    return "jax_copies", [options.python, support.program("jax_copies.py"), str(4 * options.steps)]


def smallest_culprit(bench, name, command, options):
    """The parts whose absence mends it: halves while one half is enough. Empty: even leaving all out does not."""
    suspects = PARTS
    if not bench.clean(name, command, without(suspects), options.repeats):
        return []
    while len(suspects) > 1:
        half = len(suspects) // 2
        for parts in (suspects[:half], suspects[half:]):
            clean = bench.clean(name, command, without(parts), options.repeats)
            if clean is None:
                return suspects
            if clean:
                suspects = parts
                break
        else:
            return suspects  # each half alone disturbs it
    return suspects


def judge_jax(bench, options):
    """(whether the default was clean or None, what was found)."""
    found = jax_program(options)
    if found is None:
        return None, "no jax: only the program without it was run"
    name, command = found
    if not bench.clean(name, command, PLAIN, 1):
        return None, f"{name} does not run plain: nothing can be said"
    default = bench.clean(name, command, DEFAULT, options.repeats)
    if default:
        print("  its device ops:", {KINDS[kind]: count for kind, count in sorted(ops_of(bench.scope).items())}, flush=True)
    bench.clean(name, command, WHOLE, options.repeats)
    bare = bench.clean(name, command, BARE_NODES, options.repeats)
    if default:
        return default, "the default broke nothing: more --repeats or --steps to be surer"
    bench.clean(name, command, CALLS_ALONE, options.repeats)
    bench.clean(name, command, BARE_WHOLE, options.repeats)
    if bare is False:
        bench.clean(name, command, BLOCKING, 1)
        return default, "CUPTI alone breaks it: the fault is the vendor's, in tracing nodes"
    culprit = smallest_culprit(bench, name, command, options)
    for setting in (LIGHT, WITHOUT_NVTX, BLOCKING):
        bench.clean(name, command, setting, 1)
    return default, (f"mended without {','.join(culprit)}" if culprit else "broken without any of our parts too: it is none of them")


def test(options):
    print(f"{'program':<28} {'setting':<44} statuses")
    bench = Bench(options)
    default, found = None, "the JAX program was left out"
    if options.jax_first:
        default, found = judge_jax(bench, options)
    native(bench, options)
    if not options.jax_first and not options.native_only:
        default, found = judge_jax(bench, options)
    whole = [row for row in bench.rows if row["setting"] == WHOLE.name]
    passed = default is not False and not any(any(row["statuses"]) or row.get("missing") for row in whole)
    shutil.rmtree(bench.scope, ignore_errors=True)
    return {"passed": passed, "headline": found, "rows": bench.rows, "seconds": round(options.budget - bench.left_s(), 1)}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--budget", type=int, default=200, help="seconds in all")
    parser.add_argument("--limit", type=int, default=40, help="seconds of a run")
    parser.add_argument("--repeats", type=int, default=2, help="runs of the JAX program in a setting")
    parser.add_argument("--native-repeats", type=int, default=1)
    parser.add_argument("--launches", type=int, default=10_000, help="of the program without JAX")
    parser.add_argument("--steps", type=int, default=600, help="of the JAX program")
    parser.add_argument("--graph-updates", help="programs/graph_updates.cu, compiled already")
    parser.add_argument("--program", help="a command to judge in place of the JAX program")
    parser.add_argument("--native-only", action="store_true", help="without JAX")
    parser.add_argument("--jax-first", action="store_true", help="the JAX program before the one without it")
    sys.exit(support.conclude("bisect_graphs", parser.parse_args(), test))


if __name__ == "__main__":
    main()
