# SPDX-License-Identifier: Apache-2.0
"""Two ways for counts.py to run a program under `stepscope profile` (ours) and in torch.profiler (theirs)."""

import os
import shlex
import shutil

import support
from zygote import Zygote


def is_python(words):
    return words[0].endswith(".py")


def check(words, status, stderr):
    if status != 0:
        raise RuntimeError(f"{shlex.join(words)} ended with {status}:\n{stderr[-2000:]}")


class Separate:
    """Each run is a process of its own."""

    def __init__(self, options):
        self.options = options

    def ours(self, words, scope):
        command = [self.options.python, *words] if is_python(words) else words
        done = support.run_profiled(self.options, scope, command)
        check(words, done.status, done.stderr)

    def theirs(self, words, out):
        done = support.run([self.options.python, support.program("torch_profiled.py"), out, *words])
        check(words, done.status, done.stderr)

    def close(self):
        pass


class Forked(Separate):
    """Runs are forked from two processes that have imported torch: many times faster, and still one process a run."""

    def __init__(self, options):
        super().__init__(options)
        self.scope = os.path.join(options.out, "zygote.scope")
        self.profiled = Zygote("stepscope", options, lambda c: support.profile_command(options, self.scope, c))
        self.plain = Zygote("torch_profiler", options)
        self.pids = {}

    def ours(self, words, scope):
        if not is_python(words):
            super().ours(words, scope)
            return
        pid, status, output = self.profiled.run(words)
        check(words, status, output)
        self.pids[scope] = pid

    def theirs(self, words, out):
        _, status, output = self.plain.run(words, torch_profiler=out)
        check(words, status, output)

    def close(self):
        """A folder a run, as `stepscope report` wants it; only now is each child's file whole."""
        self.profiled.close()
        self.plain.close()
        for scope, pid in self.pids.items():
            shutil.rmtree(scope, ignore_errors=True)
            os.makedirs(scope)
            shutil.copy(os.path.join(self.scope, "run.json"), scope)
            for name in os.listdir(self.scope):
                if name.endswith(".sst") and name.rsplit("-", 2)[1] == str(pid):
                    shutil.move(os.path.join(self.scope, name), scope)
