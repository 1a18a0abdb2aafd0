# SPDX-License-Identifier: Apache-2.0
"""endings_torch.py MODE: 30 training steps on the GPU with PyTorch, a line of output, and the end that MODE names."""

import ctypes
import json
import os
import signal
import sys

import torch
from torch.utils.data import DataLoader, Dataset

STEPS = 30


class Numbers(Dataset):
    def __len__(self):
        return 8 * STEPS

    def __getitem__(self, index):
        return torch.full((64,), float(index)).sin()


class Trainer:
    def __init__(self):
        torch.manual_seed(0)
        layers = [torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 1)]
        self.model = torch.nn.Sequential(*layers).cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=True, capturable=True)

    def step(self, batch):
        loss = self.model(batch).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)
        return loss


def batches(mode):
    if mode != "dataloader":
        return [torch.full((8, 64), float(i)).sin() for i in range(STEPS)]
    torch.cuda.init()
    return DataLoader(Numbers(), batch_size=8, num_workers=2, pin_memory=True)


def replayed(trainer):
    """The same steps as a CUDA graph."""
    batch = torch.ones(8, 64, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            trainer.step(batch)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = trainer.step(batch)
    return [(graph.replay(), loss.item())[1] for _ in range(STEPS)]


def device_reset():
    torch.cuda.synchronize()
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "libcudart" in line)
    ctypes.CDLL(path).cudaDeviceReset()
    sys.stdout.flush()
    os._exit(0)  # PyTorch's own destructors would use the context that is gone


def end(mode):
    if mode == "exit":
        sys.exit(3)
    if mode == "quick_exit":
        os._exit(5)
    if mode == "raise":
        raise RuntimeError("on purpose")
    if mode == "sigterm":
        os.kill(os.getpid(), signal.SIGTERM)
    if mode == "sigkill":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "abort":
        os.abort()
    if mode == "device_reset":
        device_reset()
    if mode == "exec":
        os.execv(sys.executable, [sys.executable, __file__, "return"])


def main():
    mode, trainer = sys.argv[1], Trainer()
    if mode == "graph":
        losses = replayed(trainer)
    else:
        losses = [trainer.step(batch.to("cuda", non_blocking=True)).item() for batch in batches(mode)]
    print(json.dumps({"mode": mode, "losses": losses}), flush=True)
    end(mode)


if __name__ == "__main__":
    main()
