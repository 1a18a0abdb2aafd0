#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of repairs of random loops behind a DataLoader against what the repairs give, with the model on a GPU: the
programs of tests/bench/loader_repairs.py with 0, 1, 2 and 4 workers. By hand, 10 minutes with its 24 programs.

    loader_forecasts.py --stepscope BIN [--out FOLDER] [--programs 24] [--first-seed 0] [--turns 3]

Each loop is profiled at level standard and its repair forecast by `stepscope whatif`; then both run in turns without a
profiler. Every program is in the table; nothing is left out. The targets: error at most 5 % at the median, and the interval
holds the truth in 85 %.
"""

import pathlib
import statistics
import sys

import support

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bench"))
import loader_forecasts


def test(options):
    support.need_torch(options.python)
    options.device = "cuda"
    folder = pathlib.Path(options.out)
    rows = []
    print(loader_forecasts.HEAD)
    for seed in range(options.first_seed, options.first_seed + options.programs):
        rows.append(loader_forecasts.judge(options, folder, seed))
        print(loader_forecasts.line_of(rows[-1]), flush=True)
    print(loader_forecasts.summaries(rows))
    median = statistics.median(row["error"] for row in rows)
    held = sum(row["held"] for row in rows) / len(rows)
    return {"passed": median <= 0.05 and held >= 0.85, "rows": rows,
            "headline": f"error median {100 * median:.1f} %, held {100 * held:.0f} %"}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--programs", type=int, default=24)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--turns", type=int, default=3)
    sys.exit(support.conclude("loader_forecasts", parser.parse_args(), test))


if __name__ == "__main__":
    main()
