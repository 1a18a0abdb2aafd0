// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/nvml_library.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace stepscope::nvml {
namespace {

template <class Function>
bool resolve(void* handle, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

void resolve_optional(void* handle, Library& to) noexcept {
  (void)resolve(handle, "nvmlErrorString", to.error_text);
  (void)resolve(handle, "nvmlSystemGetDriverVersion", to.driver_version);
  (void)resolve(handle, "nvmlDeviceGetClockInfo", to.clock);
  (void)resolve(handle, "nvmlDeviceGetPowerUsage", to.power);
  // The second is its name before driver 535.
  if (!resolve(handle, "nvmlDeviceGetCurrentClocksEventReasons", to.clock_reasons))
    (void)resolve(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", to.clock_reasons);
  (void)resolve(handle, "nvmlDeviceGetTemperature", to.temperature);
  (void)resolve(handle, "nvmlDeviceGetMemoryInfo", to.memory);
  (void)resolve(handle, "nvmlDeviceGetComputeRunningProcesses_v3", to.processes);
  (void)resolve(handle, "nvmlDeviceGetFieldValues", to.fields);
}

}  // namespace

FoundLibrary find_library() noexcept {
  FoundLibrary found;
  const auto fail = [&found](const char* why) {
    std::snprintf(found.why_not.data(), found.why_not.size(), "%s", why);
    return found;
  };
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (handle == nullptr)
    return fail(
        "no libnvidia-ml.so.1 (it comes with the driver; in a container, with its utilities)");
  Library& to = found.functions;
  if (!resolve(handle, "nvmlInit_v2", to.init) ||
      !resolve(handle, "nvmlDeviceGetHandleByUUID", to.device_by_uuid) ||
      !resolve(handle, "nvmlDeviceGetIndex", to.index_of))
    return fail("this libnvidia-ml.so.1 is too old: update the driver");
  resolve_optional(handle, to);
  found.usable = true;
  return found;
}

ErrorText text_of(const Library& library, Status status) noexcept {
  ErrorText text{};
  const char* words = library.error_text == nullptr ? nullptr : library.error_text(status);
  if (words != nullptr) {
    std::snprintf(text.data(), text.size(), "%s", words);
  } else {
    std::snprintf(text.data(), text.size(), "NVML error %d", status);
  }
  return text;
}

}  // namespace stepscope::nvml
