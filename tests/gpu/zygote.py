# SPDX-License-Identifier: Apache-2.0
"""A running programs/zygote.py, started under any collector: `run` takes a program, returns its output and pid."""

import json
import os
import subprocess

import support


class Zygote:
    def __init__(self, name, options, wrap=lambda command: command, environment=None):
        self.folder = os.path.join(options.out, "zygote_" + name)
        os.makedirs(self.folder, exist_ok=True)
        pipes = [os.path.join(self.folder, end) for end in ("requests", "replies")]
        for pipe in pipes:
            if os.path.exists(pipe):
                os.remove(pipe)
            os.mkfifo(pipe)
        self.log = open(os.path.join(self.folder, "log"), "w")
        self.process = subprocess.Popen(wrap([options.python, support.program("zygote.py"), *pipes]),
                                        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **(environment or {})),
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        self.pipes, self.runs = pipes, 0
        self.requests = self.replies = None

    def connect(self):
        """Apart from the start, so that several start at once. A process that ended early leaves no reader."""
        if self.requests is not None:
            return
        while self.process.poll() is None:
            try:
                self.requests = os.fdopen(os.open(self.pipes[0], os.O_WRONLY | os.O_NONBLOCK), "w")
                self.replies = open(self.pipes[1])
                return
            except OSError:
                try:
                    self.process.wait(0.05)
                except subprocess.TimeoutExpired:
                    pass
        raise RuntimeError(f"{self.folder}: ended with {self.process.returncode} at its start; see its log")

    def run(self, program, torch_profiler=None):
        """(pid, status, output)"""
        self.connect()
        self.runs += 1
        output = os.path.join(self.folder, f"output.{self.runs}")
        self.requests.write(json.dumps({"program": program, "output": output, "torch_profiler": torch_profiler}) + "\n")
        self.requests.flush()
        answer = self.replies.readline()
        if not answer:
            raise RuntimeError(f"{self.folder}: ended before it answered; see its log")
        reply = json.loads(answer)
        with open(output) as file:
            return reply["pid"], reply["status"], file.read()

    def close(self):
        """One that was never asked waits for its first request: it is connected, so that it sees the end of them."""
        try:
            self.connect()
            self.requests.close()
            self.replies.close()
        except (OSError, RuntimeError):
            pass  # it has ended already; its log says why
        try:
            self.process.wait(support.LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
