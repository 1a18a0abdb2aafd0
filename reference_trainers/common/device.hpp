// SPDX-License-Identifier: Apache-2.0
// Where a trainer runs, chosen at run time. The programs are linked to LibTorch's CPU libraries
// only; libtorch_cuda, which needs the whole CUDA stack, is loaded from beside them when a GPU is
// wanted. Call before the first tensor: LibTorch looks for its CUDA part once.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "core/support/result.hpp"

namespace stepscope::trainers {

enum class DeviceWish { automatic, cpu, cuda };

struct ChosenDevice {
  at::Device device;
  std::string note;  // why a GPU that is there is not used; else empty
};

// automatic: the GPU of that number where the driver shows one and LibTorch can use it, else the
// CPU. The calling thread's current GPU is it from then on.
Result<ChosenDevice> choose_device(DeviceWish wish, int gpu = 0);

// Waits for the device's work, so that the host's clock can be read. Nothing to wait for on the
// CPU.
void synchronize(at::Device device);

}  // namespace stepscope::trainers
