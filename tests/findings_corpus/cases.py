# SPDX-License-Identifier: Apache-2.0
"""The cases: for each rule a program with its cost, the same program without, and decoys that look like it."""

import dataclasses
import math
import random

from programs import Generation, Size, Transformer


@dataclasses.dataclass
class Case:
    name: str
    about: str  # the rule
    role: str  # bad, fixed, decoy, several
    program: type
    costs: tuple
    size: Size


DEVICE_BOUND = Size()
HOST_BOUND = Size(gemm=5, small=2.5, layers=14, batch_mb=0.2, host=9)  # the host is late all the time
BALANCED = Size(gemm=34, small=6)

# rule: size of bad (fixed is the same without the cost), then decoys: (what, costs, size)
PLANTED = {
    "input_starvation": (Size(), [
        ("hidden_loader", ("input_starvation",), Size(lookalike="loader", amount=0.25)),
        ("ahead", ("input_starvation",), Size(gemm=300, layers=10, amount=0.6)),
    ]),
    "batch_unpacking": (Size(gemm=60), [
        ("ahead", ("batch_unpacking",), Size(gemm=300, layers=10, amount=0.6)),
        ("few", ("batch_unpacking",), Size(gemm=200, amount=0.1)),
    ]),
    "tiny_h2d": (BALANCED, [
        ("asynchronous", ("tiny_h2d",), Size(hidden=True, gemm=250)),
        ("few", ("tiny_h2d",), Size(amount=0.1, gemm=250)),
    ]),
    "host_sync": (Size(gemm=60, bookkeeping=500), [
        ("late_host", ("host_sync",), dataclasses.replace(HOST_BOUND, bookkeeping=5)),
        ("seldom", ("host_sync",), Size(gemm=60, read_every=8, steps=17)),
    ]),
    "pageable_copy": (Size(batch_mb=24, gemm=200), [
        ("other_stream", ("pageable_copy",), Size(batch_mb=4, gemm=250, layers=8, hidden=True)),
        ("small", ("pageable_copy",), Size(batch_mb=0.3, gemm=250)),
    ]),
    "exposed_copy": (Size(batch_mb=24, gemm=150), [
        ("late_host", ("exposed_copy",), dataclasses.replace(HOST_BOUND, batch_mb=8)),
        ("small", ("exposed_copy",), Size(batch_mb=1, gemm=250)),
    ]),
    "unfused_optimizer": (Size(gemm=60), [
        ("hidden", ("unfused_optimizer",), Size(gemm=700, layers=10, parameters=16, amount=0.7)),
        ("foreach", (), Size(gemm=60, lookalike="foreach")),
    ]),
    "steady_alloc": (Size(gemm=40, layers=4), [
        ("ahead", ("steady_alloc",), Size(gemm=250, layers=8, hidden=True)),
        ("short", ("steady_alloc",), Size(gemm=200, layers=8, amount=0.02)),
    ]),
    "steady_compile": (Size(gemm=40), [
        ("ahead", ("steady_compile",), Size(gemm=300, layers=8, amount=0.7)),
        ("short", ("steady_compile",), Size(gemm=300, amount=0.04)),
    ]),
    "host_gap": (Size(gemm=60), [
        ("ahead", ("host_gap",), Size(gemm=300, layers=8, amount=0.6)),
        ("io_ahead", ("host_gap",), Size(gemm=300, layers=8, amount=0.5, lookalike="io")),
    ]),
    "loop_invariant": (Size(gemm=40, small=14), [
        ("positions", ("loop_invariant",), Size(gemm=200, lookalike="positions")),
        ("hidden", ("loop_invariant",), Size(gemm=400, small=2, amount=0.3)),
    ]),
    "repeated_backward": (Size(), [
        ("two_optimizers", (), Size(lookalike="two_optimizers")),
        ("small", ("repeated_backward",), Size(gemm=300, layers=3, small=3, amount=0.02)),
    ]),
    "repeated_launches": (Size(gemm=60), [
        ("ahead", ("repeated_launches",), Size(gemm=700, layers=10)),
        ("few", ("repeated_launches",), Size(gemm=60, amount=0.1)),
    ]),
    "launch_bound": (HOST_BOUND, [
        ("big_queue", (), Size(gemm=110, layers=16, small=3)),
        ("short_kernels", (), Size(gemm=60, layers=10, small=18, host=3)),
    ]),
    "sequential_generation": (Size(gemm=60), [
        ("one_batch", (), Size(gemm=60)),
        ("many_layers", (), Size(gemm=8, layers=60, host=4)),
    ]),
    "unfused_attention": (Size(), [
        ("router", (), Size(lookalike="router")),
        ("small", ("unfused_attention",), Size(gemm=200, amount=0.02)),
    ]),
    "precision": (Size(), [
        ("tf32", (), Size(lookalike="tf32")),
        ("head_alone", (), Size(lookalike="fp32_head")),
    ]),
    "memory_layout": (Size(), [
        ("channels_last", (), Size(lookalike="channels_last")),
        ("small", ("memory_layout",), Size(gemm=200, amount=0.02)),
    ]),
    "recomputation": (Size(), [
        ("one_product", ("recomputation",), Size(gemm=20, small=40, parameters=300, amount=0.125)),
        ("host_bound", (), Size(gemm=40, layers=4)),
    ]),
    "hotspot": (Size(), [
        ("small", ("hotspot",), Size(gemm=200, amount=0.06)),
        ("norms_of_blocks", (), Size(gemm=150, small=14)),
    ]),
    "exposed_comm": (Size(), [
        ("overlapped", (), Size(gemm=150, lookalike="comm")),
        ("short", ("exposed_comm",), Size(amount=0.05)),
    ]),
    "periodic_phase": (Size(steps=17), [
        ("cheap", ("periodic_phase",), Size(steps=17, gemm=200, amount=0.01, layers=12)),
        ("log_seldom", ("host_sync",), Size(steps=17, read_every=4, gemm=60)),
    ]),
    "underfilled_gpu": (Size(), [
        ("beside", ("underfilled_gpu",), Size(hidden=True, amount=0.3)),
        ("short", ("underfilled_gpu",), Size(gemm=60, amount=0.01)),
    ]),
    "clock_change": (Size(), [
        ("before", (), Size(lookalike="clock")),
        ("host_bound", ("clock_change",), Size(gemm=6, small=3, host=14, amount=0.5)),
    ]),
}

# Further programs with one cost each: other sizes, other places.
FURTHER = {
    "input_starvation": [Size(gemm=40, layers=10, amount=0.5), Size(gemm=150, lookalike="loader", amount=1.5)],
    "batch_unpacking": [Size(gemm=40, layers=10, amount=0.5), Size(gemm=150, amount=2)],
    "tiny_h2d": [Size(gemm=20, amount=0.5), Size(gemm=120, amount=4)],
    "host_sync": [Size(gemm=40, bookkeeping=300), Size(gemm=25, small=5, host=12, layers=8, bookkeeping=150)],
    "pageable_copy": [Size(batch_mb=60, gemm=300), Size(batch_mb=8, gemm=60)],
    "exposed_copy": [Size(batch_mb=60, gemm=300), Size(batch_mb=40, gemm=40, layers=10)],
    "unfused_optimizer": [Size(gemm=30, parameters=150), Size(gemm=150, parameters=60, amount=6)],
    "steady_alloc": [Size(gemm=60, amount=2), Size(gemm=100, layers=3, amount=1)],
    "steady_compile": [Size(gemm=60, steps=17, amount=2), Size(gemm=20, layers=4, steps=13)],
    "host_gap": [Size(gemm=30, amount=0.7), Size(gemm=100, amount=3)],
    "loop_invariant": [Size(gemm=100, small=12, amount=2), Size(gemm=60, small=9, layers=10, amount=3)],
    "repeated_backward": [Size(gemm=60, layers=10), Size(gemm=200, amount=0.5)],
    "repeated_launches": [Size(gemm=34, small=6, parameters=100), Size(gemm=60, layers=3)],
    "launch_bound": [Size(gemm=8, small=3, layers=10, host=9), Size(gemm=12, small=4, layers=24, host=12)],
    "sequential_generation": [Size(gemm=200), Size(gemm=60, host=11)],
    "unfused_attention": [Size(gemm=60, layers=12), Size(gemm=250, amount=1.5)],
    "precision": [Size(gemm=60, amount=0.5), Size(gemm=40, layers=12)],
    "memory_layout": [Size(gemm=60), Size(gemm=200, layers=3)],
    "recomputation": [Size(gemm=60, layers=10), Size(gemm=200, amount=0.5)],
    "hotspot": [Size(gemm=60, amount=0.6), Size(gemm=200, amount=2)],
    "exposed_comm": [Size(gemm=200, layers=4, amount=2), Size(gemm=60, layers=12, amount=1.5)],
    "periodic_phase": [Size(gemm=60, steps=17, amount=2), Size(gemm=200, steps=13)],
    "underfilled_gpu": [Size(gemm=60), Size(gemm=200, layers=3)],
    "clock_change": [Size(gemm=200, amount=0.6), Size(gemm=60, layers=10)],
}

# Several costs in one program, and a cost beside another's look-alike.
SEVERAL = [
    ("norms", ("norms",), Size(gemm=60)),
    ("norms_and_cheap_read", ("norms", "host_sync"), Size(gemm=14, small=3, host=12)),
    ("input_and_pageable", ("input_starvation", "pageable_copy"), Size(batch_mb=16)),
    ("input_hides_read", ("input_starvation", "host_sync"), Size(gemm=60)),
    ("optimizer_and_gap", ("unfused_optimizer", "host_gap"), Size(gemm=60)),
    ("gap_gc", ("host_gap",), Size(gemm=60, lookalike="gc")),
    ("gap_off_cpu", ("host_gap",), Size(gemm=60, lookalike="off_cpu")),
    ("gap_io", ("host_gap",), Size(gemm=60, lookalike="io")),
    ("loader_starves", ("input_starvation",), Size(gemm=60, lookalike="loader")),
    ("attention_in_fp32", ("unfused_attention", "precision"), Size(gemm=60)),
    ("eval_and_comm", ("periodic_phase", "exposed_comm"), Size(steps=17)),
    ("tiny_and_optimizer", ("tiny_h2d", "unfused_optimizer"), Size(gemm=60)),
    ("sort_and_alloc", ("hotspot", "steady_alloc"), Size(gemm=60)),
    ("mask_in_host_bound_loop", ("loop_invariant",), HOST_BOUND),
    ("late_compile", ("steady_compile",), Size(gemm=60, amount=2)),
]


def program_of(rule, name=""):
    return Generation if rule == "sequential_generation" and name != "many_layers" else Transformer


def random_cases(count, seed):
    """Loops of any size with none to three costs of any size: nothing of them was looked at while rules were written."""
    chance = random.Random(seed)
    costs = [rule for rule in PLANTED if rule not in ("launch_bound", "sequential_generation")] + ["norms"]

    def spread(low, high):
        return math.exp(chance.uniform(math.log(low), math.log(high)))

    out = []
    for nth in range(count):
        size = Size(steps=17, layers=chance.randint(3, 14), gemm=spread(6, 300), small=spread(2, 14), host=spread(4, 14),
                    batch_mb=spread(0.2, 40), bookkeeping=spread(5, 500), parameters=chance.randint(12, 120),
                    read_every=chance.choice((1, 1, 8)), amount=spread(0.05, 3), lookalike=chance.choice(("", "", "loader")))
        planted = tuple(chance.sample(costs, chance.randint(0, 3)))
        kind = Generation if chance.random() < 0.08 else Transformer
        if kind is Generation:
            planted = chance.choice(((), ("sequential_generation",)))
        out.append(Case(f"random.{seed}.{nth}", "", "random", kind, planted, size))
    return out


def all_cases():
    out = []
    for rule, (size, decoys) in PLANTED.items():
        costs = () if rule == "launch_bound" else (rule,)
        out.append(Case(f"{rule}.bad", rule, "bad", program_of(rule), costs, size))
        fixed = dataclasses.replace(size, gemm=120, host=4) if rule == "launch_bound" else size
        out.append(Case(f"{rule}.fixed", rule, "fixed", program_of(rule), (), fixed))
        for name, costs, of in decoys:
            out.append(Case(f"{rule}.decoy.{name}", rule, "decoy", program_of(rule, name), costs, of))
    for rule, sizes in FURTHER.items():
        for nth, size in enumerate(sizes, 2):
            costs = () if rule == "launch_bound" else (rule,)
            out.append(Case(f"{rule}.bad{nth}", rule, "bad", program_of(rule), costs, size))
    for name, costs, size in SEVERAL:
        out.append(Case(f"several.{name}", "", "several", Transformer, costs, size))
    return out
