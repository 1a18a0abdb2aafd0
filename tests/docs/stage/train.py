# SPDX-License-Identifier: Apache-2.0
"""The program of the pages' commands: a loop with steps and phases, on no GPU and with no library but stepscope's marks."""
import argparse
import os
import signal
import time

import stepscope

arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int, default=300)
arguments.add_argument("--load", type=float, default=0.001, help="seconds")
given = arguments.parse_args()


@stepscope.phase("load")
def load():
    time.sleep(given.load)


def send_signal_that_a_recorder_waits_for():
    """USR2 would end a program that nobody has given a handler to; Python answers None where C code did."""
    if signal.getsignal(signal.SIGUSR2) is None:
        os.kill(os.getpid(), signal.SIGUSR2)


for step in range(given.steps):
    if step == 10:
        stepscope.start()
        send_signal_that_a_recorder_waits_for()
    with stepscope.step(step):
        load()
        with stepscope.phase("validation" if step % 10 == 9 else "compute"):
            sum(range(20_000))
        with stepscope.phase("log"):
            time.sleep(0.0001)
        if step % 10 == 0:
            with stepscope.phase("eval"):
                time.sleep(0.0005)
stepscope.stop()
