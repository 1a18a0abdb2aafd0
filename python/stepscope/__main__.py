# SPDX-License-Identifier: Apache-2.0
"""The command `stepscope`, and `python -m stepscope`: becomes the binary of this package."""

import os
import sys


def main():
    binary = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stepscope")
    if not os.path.exists(binary):
        binary = "/usr/bin/stepscope"  # where the .deb puts the module, apart from the command
    try:
        os.execv(binary, ["stepscope"] + sys.argv[1:])
    except OSError as error:
        sys.stderr.write(
            "stepscope: cannot run %s: %s; this package is for x86-64 Linux, install it again with pip\n"
            % (binary, error.strerror)
        )
        return 126


if __name__ == "__main__":
    sys.exit(main())
