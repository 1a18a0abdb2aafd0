#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loss curves of train_clt as a picture: plot_losses.py OUT.svg NAME=LOG[,LOG...] ...

A LOG is what a run printed (its lines "step N: loss X"); the LOGs of a NAME are its seeds, drawn in one colour, the first
NAME broad, so that others over it are seen. Needs matplotlib.
"""

import re
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

LINE = re.compile(r"^step (\d+): loss ([\d.eE+-]+)", re.MULTILINE)


def curve(path):
    with open(path) as file:
        found = LINE.findall(file.read())
    if not found:
        sys.exit(f"{path} has no line 'step N: loss X': was it run with --eval-every?")
    return [int(step) for step, _ in found], [float(loss) for _, loss in found]


def main():
    if len(sys.argv) < 3 or not all("=" in word for word in sys.argv[2:]):
        sys.exit(__doc__)
    matplotlib.rcParams["svg.hashsalt"] = "stepscope"  # the same picture from the same numbers
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for number, word in enumerate(sys.argv[2:]):
        name, logs = word.split("=", 1)
        for seed, path in enumerate(logs.split(",")):
            axes.plot(*curve(path), color=f"C{number}", linewidth=4 if number == 0 else 1.2, alpha=0.4 if number == 0 else 1,
                      linestyle=("-", "--", ":")[seed % 3], label=f"{name}, seed {seed}")
    axes.set(xlabel="step", ylabel="loss", ylim=(0, None))
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3, which="major")
    figure.tight_layout()
    figure.savefig(sys.argv[1], metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
