# SPDX-License-Identifier: Apache-2.0
"""Steps and phases by the module's marks, without torch: marks.py [STEPS]."""

import sys
import time

import stepscope


@stepscope.phase("load")
def load():
    time.sleep(0.004)


for index in range(int(sys.argv[1]) if len(sys.argv) > 1 else 30):
    if index == 10:
        stepscope.start()
    if index == 15:
        stepscope.stop()
    with stepscope.step(index):
        load()
        with stepscope.phase("compute"):
            time.sleep(0.002)
print("profiled" if stepscope.is_profiled() else "not profiled")
