// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/device.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/support/dynamic_library.hpp"

namespace stepscope::trainers {
namespace {

// The folder of the LibTorch that this program runs with.
std::filesystem::path torch_folder() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&at::globalContext), &info);
  return std::filesystem::path(info.dli_fname).parent_path();
}

// A driver that answers; the library is kept open, as the CUDA runtime will open it again.
bool driver_shows_gpu() {
  const DynamicLibrary driver("libcuda.so.1");
  const auto init = driver.find<int (*)(unsigned)>("cuInit");
  const auto count_devices = driver.find<int (*)(int*)>("cuDeviceGetCount");
  int count = 0;
  return init != nullptr && count_devices != nullptr && init(0) == 0 &&
         count_devices(&count) == 0 && count > 0;
}

// Errors say what is missing; the caller knows what was asked for.
Status load_cuda() {
  const std::string library = torch_folder() / "libtorch_cuda.so";
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    return usage_error("LibTorch's CUDA libraries do not load (" + std::string(dlerror()) +
                       "); scripts/setup test installs them");
  }
  if (!at::globalContext().hasCUDA()) return usage_error("LibTorch finds no usable GPU");
  return Done{};
}

}  // namespace

Result<ChosenDevice> choose_device(DeviceWish wish, int gpu) {
  ChosenDevice chosen{at::kCPU, ""};
  if (wish == DeviceWish::cpu) return chosen;
  const Status loaded =
      driver_shows_gpu() ? load_cuda() : Status(usage_error("the driver shows no GPU"));
  if (loaded) {
    const int count = std::max<int>(0, at::detail::getCUDAHooks().deviceCount());
    if (gpu >= count)
      return usage_error("there is no GPU " + std::to_string(gpu) +
                         " (LOCAL_RANK): LibTorch sees " + std::to_string(count) +
                         "; start fewer ranks, or use --device cpu");
    chosen.device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(gpu));
    c10::impl::VirtualGuardImpl(at::kCUDA).setDevice(chosen.device);
  } else if (wish == DeviceWish::cuda) {
    return usage_error("--device cuda: " + loaded.error().message + "; or use --device cpu");
  } else if (driver_shows_gpu()) {
    chosen.note = "the GPU is not used: " + loaded.error().message;
  }
  return chosen;
}

void synchronize(at::Device device) {
  if (device.is_cuda()) at::detail::getCUDAHooks().deviceSynchronize(device.index());
}

}  // namespace stepscope::trainers
