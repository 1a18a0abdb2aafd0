#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What watching takes beside the program: device memory (the same program plain and profiled, one after the other: free
memory as CUDA tells it at the end), bytes an event in the file, CPU time an event in the recorder's own threads.

    footprint.py --stepscope BIN [--rounds N] "PROGRAM.py ARGUMENTS" ...     device memory; then the programs' events

Nothing else may use the device meanwhile. The test fails where decoding takes more than --decode-ns an event.
"""

import os
import shlex
import statistics
import sys

import support

MEMORY_PROGRAM = """
import torch
x = torch.randn(1024, 1024, device="cuda")
for _ in range(20000): y = x @ x
torch.cuda.synchronize()
print('{"free": %d}' % torch.cuda.mem_get_info()[0])
"""


def free_bytes(options, profiled):
    command = [options.python, "-c", MEMORY_PROGRAM]
    if profiled:
        done = support.run_profiled(options, os.path.join(options.out, "memory.scope"), command)
    else:
        done = support.run(command)
    return support.last_json(done.stdout)["free"]


def device_memory(options):
    rounds = [free_bytes(options, False) - free_bytes(options, True) for _ in range(options.rounds)]
    return {"median_mib": statistics.median(rounds) / 2**20, "mib": [value / 2**20 for value in rounds]}


def events_of(program, options):
    scope = os.path.join(options.out, "events.scope")
    done = support.run_profiled(options, scope, [options.python, *shlex.split(program)])
    if done.status != 0:
        raise RuntimeError(f"{program} ended with {done.status}: {done.stderr[-500:]}")
    found = support.report(options, scope)
    size = sum(os.path.getsize(os.path.join(scope, name)) for name in os.listdir(scope) if name.endswith(".sst"))
    return {"events": found["run"]["events"], "bytes_per_event": size / found["run"]["events"],
            **found["trust"]["recorder"]}


def test(options):
    support.need_torch(options.python)
    memory = device_memory(options)
    print(f"  device memory: {memory['median_mib']:.1f} MiB {memory['mib']}", flush=True)
    rows = {}
    for program in options.programs:
        row = rows[program] = events_of(program, options)
        print(f"  {program}: {row['events']} events, {row['bytes_per_event']:.2f} bytes an event, decoding "
              f"{row['decode_ns_per_event']:.0f} ns, with encoding and waking {row['ns_per_event']:.0f} ns an event, "
              f"{row['core_share']:.2%} of a core", flush=True)
    worst = max(row["decode_ns_per_event"] for row in rows.values())
    return {"passed": worst <= options.decode_ns, "device_memory": memory, "programs": rows,
            "headline": f"{memory['median_mib']:.1f} MiB of device memory, decoding at most {worst:.0f} ns an event"}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--decode-ns", type=float, default=80)
    parser.add_argument("programs", nargs="+", help="quoted command lines without the interpreter")
    sys.exit(support.conclude("footprint", parser.parse_args(), test))


if __name__ == "__main__":
    main()
