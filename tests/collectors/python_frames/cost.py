# SPDX-License-Identifier: Apache-2.0
"""ns a call site: user frame innermost, behind library frames, in a long function, and at first sight."""
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe

cost = probe.without_gil.probe_nanoseconds


def function(path, inner, source="def call(n):\n    return inner(n)\n"):
    scope = {"inner": inner}
    exec(compile(source, path, "exec"), scope)
    return scope["call"]


def warm(call):
    return statistics.median(call(100_000) for _ in range(7))


behind = cost
for depth in range(10):
    behind = function(f"/opt/lib/python3.11/site-packages/torch/nn/{depth}.py", behind)
user = function("/project/train.py", cost)
long = function("/project/long.py", cost, "def call(n):\n" + "    x = dict(a=1)\n" * 3000 + "    return inner(n)\n")
cold = sorted(function(f"/project/cold_{i}.py", cost)(1) for i in range(2000))
results = {"user frame innermost": warm(user), "behind 10 library frames": warm(lambda n: behind(n)),
           "end of a 3000-line function": warm(long), "first sight, p50": cold[1000], "first sight, p99": cold[1980]}
print(", ".join(f"{what} {ns:.0f} ns" for what, ns in results.items()))
sys.exit(0 if results["behind 10 library frames"] < 2000 else 1)
