# SPDX-License-Identifier: Apache-2.0
"""deep_train.py [OUT.json]: steps that make CUDA calls of many kinds inside the range "window", then a module that the
driver must compile; with OUT.json inside torch.profiler, which writes its trace there. Prints peaks of memory."""

import ctypes
import json
import os
import sys

os.environ["CUDA_CACHE_DISABLE"] = "1"  # compiled anew each time

import torch
from torch.profiler import ProfilerActivity, profile, record_function

PTX = b".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"


def step(model, optimizer, data):
    loss = model(data.to("cuda")).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    top = torch.randn(512, 4096, device="cuda").topk(8).values.sort().values
    event = torch.cuda.Event()
    with torch.cuda.stream(torch.cuda.Stream()):
        event.record()
    event.synchronize()
    torch.cuda.mem_get_info()
    return loss.item() + top.sum().item()


def train():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU(), torch.nn.Linear(512, 8)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.randn(64, 512)
    for _ in range(5):  # loads kernels and workspaces
        step(model, optimizer, data)
    torch.cuda.synchronize()
    with record_function("window"):
        for _ in range(20):
            step(model, optimizer, data)
        torch.cuda.synchronize()


def compile_module():
    driver, module = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    status = driver.cuModuleLoadData(ctypes.byref(module), PTX)
    if status != 0:
        sys.exit(f"cuModuleLoadData ended with {status}")


def main():
    if len(sys.argv) > 1:
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            train()
        profiler.export_chrome_trace(sys.argv[1])
    else:
        train()
    compile_module()
    print(json.dumps({"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}))


if __name__ == "__main__":
    main()
