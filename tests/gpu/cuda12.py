# SPDX-License-Identifier: Apache-2.0
"""A program of CUDA 12 under a stepscope that knows CUDA 13, too: cuda12.py LIBRARIES STEPSCOPE.

LIBRARIES holds libcudart.so.12 and libcupti.so.12 (scripts/packaging/fetch-cuda12). The program copies, launches a kernel
(PTX, so it runs on any GPU), sets memory and copies back, twenty times; then the device operations that were recorded are
counted, and their CUPTI named. Where this Python has torch, one of its own CUDA is recorded beside. Needs a GPU.
"""
import collections
import csv
import ctypes
import json
import os
import subprocess
import sys
import tempfile

STEPS = 20
COUNT = 1 << 20
PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry add_one(.param .u64 data, .param .u32 count) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .f32 %f<3>;
  ld.param.u64 %d1, [data]; ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra done;
  mul.wide.u32 %d2, %r5, 4; cvta.to.global.u64 %d3, %d1; add.u64 %d3, %d3, %d2;
  ld.global.f32 %f1, [%d3]; add.f32 %f2, %f1, 0f3F800000; st.global.f32 [%d3], %f2;
done:
  ret;
}
\0"""


def check(status, what):
    if status != 0:
        sys.exit(f"{what}: CUDA error {status}")


def program(libraries):
    ctypes.CDLL(os.path.join(libraries, "libcupti.so.12"), ctypes.RTLD_GLOBAL)
    runtime = ctypes.CDLL(os.path.join(libraries, "libcudart.so.12"))
    driver = ctypes.CDLL("libcuda.so.1")
    device, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    size = ctypes.c_size_t(4 * COUNT)
    check(runtime.cudaMalloc(ctypes.byref(device), size), "cudaMalloc")
    check(driver.cuModuleLoadData(ctypes.byref(module), PTX), "cuModuleLoadData")
    check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"add_one"), "cuModuleGetFunction")
    host = (ctypes.c_float * COUNT)()
    count = ctypes.c_uint(COUNT)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(device), ctypes.addressof(count))
    for _ in range(STEPS):
        check(runtime.cudaMemcpy(device, host, size, 1), "cudaMemcpy to the device")
        check(driver.cuLaunchKernel(kernel, COUNT // 256, 1, 1, 256, 1, 1, 0, None, arguments, None), "cuLaunchKernel")
        check(runtime.cudaMemcpy(host, device, size, 2), "cudaMemcpy to the host")
        check(runtime.cudaMemset(device, 0, size), "cudaMemset")
    check(runtime.cudaDeviceSynchronize(), "cudaDeviceSynchronize")
    if host[COUNT - 1] != STEPS:
        sys.exit(f"the kernel ran wrongly: {host[COUNT - 1]} in place of {STEPS}")


def torch_program():
    import torch

    a = torch.ones(512, 512, device="cuda")
    for _ in range(STEPS):
        a = (a @ a).clamp(max=1.0)
    print(float(a.sum()))


def recorded(stepscope, name, folder, *command):
    run = os.path.join(folder, name)
    subprocess.run([stepscope, "profile", "-o", run, "--", sys.executable, __file__, *command], check=True)
    table = run + ".csv"
    subprocess.run([stepscope, "export", run + ".scope", "--to", "csv", "--table", "device_ops", "-o", table], check=True)
    with open(table, newline="") as rows:
        kinds = collections.Counter(row["kind"] for row in csv.DictReader(rows))
    document = json.loads(subprocess.run([stepscope, "report", run + ".scope", "--format", "json"], capture_output=True,
                                         text=True, check=True).stdout)
    facts = {key: value for key, value in _walk(document) if "cupti" in key.lower() or key == "cuda"}
    print(f"{name}: {dict(kinds)} {facts}")
    return kinds


def _walk(value, key=""):
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _walk(below, name)
    elif isinstance(value, list):
        for below in value:
            yield from _walk(below, key)
    else:
        yield key, value


def main():
    libraries, stepscope = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        kinds = recorded(stepscope, "cuda12", folder, "--program", libraries)
        kernels = sum(count for kind, count in kinds.items() if "kernel" in kind)
        copies = sum(count for kind, count in kinds.items() if "memcpy" in kind or "copy" in kind)
        sets = sum(count for kind, count in kinds.items() if "memset" in kind)
        if (kernels, copies, sets) != (STEPS, 2 * STEPS, STEPS):
            sys.exit(f"wanted {STEPS} kernels, {2 * STEPS} copies, {STEPS} memsets; recorded {dict(kinds)}")
        try:
            import torch  # noqa: F401
        except ImportError:
            print("no torch here: a program of its CUDA was not run beside")
        else:
            if sum(recorded(stepscope, "torch", folder, "--torch").values()) < STEPS:
                sys.exit("torch's own CUDA recorded less than its steps")
    print("ok")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        program(sys.argv[2])
    elif sys.argv[1:2] == ["--torch"]:
        torch_program()
    else:
        main()
