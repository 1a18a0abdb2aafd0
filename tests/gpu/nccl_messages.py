# SPDX-License-Identifier: Apache-2.0
"""Two ranks with NCCL: what each call sends is in the report, with its kernel's time."""

import sys

from profiled import Check, report_of

STEPS = 40
FLOATS = 1 << 24


def train():
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    value = torch.ones(FLOATS, device="cuda")
    part = torch.empty(FLOATS // 2, device="cuda")
    for _ in range(STEPS):
        with torch.cuda.nvtx.range("step"):
            dist.all_reduce(value)
            dist.reduce_scatter_tensor(part, value, op=dist.ReduceOp.AVG)
            send = dist.P2POp(dist.isend, part, 1 - rank)
            receive = dist.P2POp(dist.irecv, value[: FLOATS // 2], 1 - rank)
            for request in dist.batch_isend_irecv([send, receive]):
                request.wait()
            torch.cuda.synchronize()
    dist.destroy_process_group()


def main():
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", __file__, "train"]
    report = report_of(command, "^step$")
    check = Check()
    rows = {row["operation"]: row for row in report["collectives"]}
    for row in report["collectives"]:
        print(row)
    everything = rows.get("AllReduce", {})
    check(everything.get("bytes_per_step") == 4 * FLOATS, "an all-reduce sends the whole tensor once a step")
    check(everything.get("reduce") == "sum", "and sums")
    check(rows.get("ReduceScatter", {}).get("bytes_per_step") == 2 * FLOATS, "a reduce-scatter one rank's part")
    check(rows.get("ReduceScatter", {}).get("reduce") == "average", "and averages")
    check(rows.get("Recv+Send", {}).get("bytes_per_step") == 4 * FLOATS, "a group what all its calls send")
    check(all(row["bytes_per_second"] > 1e9 for row in rows.values()), "over a GB a second")
    check.exit()


if __name__ == "__main__":
    train() if sys.argv[1:] == ["train"] else main()
