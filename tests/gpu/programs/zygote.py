# SPDX-License-Identifier: Apache-2.0
"""zygote.py REQUESTS REPLIES: imports torch once, then runs programs in forked children that initialise CUDA
themselves, so that a run costs a second instead of ten. REQUESTS and REPLIES are named pipes with a JSON object a line:
{"program": [FILE, ARGUMENTS...], "output": FILE, "torch_profiler": FILE or null} is answered by {"pid", "status"}.
"""

import json
import os
import runpy
import sys
import traceback

import torch

sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
import torch_profiled


def run_child(request):
    output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    words = request["program"]
    if request.get("torch_profiler"):
        return torch_profiled.run(request["torch_profiler"], words)
    sys.argv = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    runpy.run_path(words[0], run_name="__main__")


def serve(requests, replies):
    """In a child it returns once the program has run, so that the interpreter ends as it always does."""
    for line in requests:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            return request
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        replies.write(json.dumps({"pid": pid, "status": status}) + "\n")
        replies.flush()
    return None


def main():
    with open(sys.argv[1]) as requests, open(sys.argv[2], "w") as replies:
        if torch.cuda.is_initialized():
            sys.exit("CUDA is initialised before the fork: a child could not use it")
        request = serve(requests, replies)
    if request is None:
        return
    try:
        run_child(request)
    except Exception:
        traceback.print_exc()
        sys.exit(1)


if __name__ == "__main__":
    main()
