// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/nvml_library.hpp"

#include <cstdio>

#include "core/support/dynamic_library.hpp"

namespace stepscope::nvml {
namespace {

void find_optional(const DynamicLibrary& nvml, Library& to) noexcept {
  (void)nvml.find("nvmlErrorString", to.error_text);
  (void)nvml.find("nvmlSystemGetDriverVersion", to.driver_version);
  (void)nvml.find("nvmlDeviceGetClockInfo", to.clock);
  (void)nvml.find("nvmlDeviceGetPowerUsage", to.power);
  // The second is its name before driver 535.
  if (!nvml.find("nvmlDeviceGetCurrentClocksEventReasons", to.clock_reasons))
    (void)nvml.find("nvmlDeviceGetCurrentClocksThrottleReasons", to.clock_reasons);
  (void)nvml.find("nvmlDeviceGetTemperature", to.temperature);
  (void)nvml.find("nvmlDeviceGetMemoryInfo", to.memory);
  (void)nvml.find("nvmlDeviceGetComputeRunningProcesses_v3", to.processes);
  (void)nvml.find("nvmlDeviceGetFieldValues", to.fields);
  (void)nvml.find("nvmlDeviceGetCount_v2", to.count_of_devices);
  (void)nvml.find("nvmlDeviceGetHandleByIndex_v2", to.device_at);
  (void)nvml.find("nvmlDeviceGetName", to.name_of);
  (void)nvml.find("nvmlDeviceGetMigMode", to.mig_mode);
  (void)nvml.find("nvmlDeviceGetEnforcedPowerLimit", to.power_limit);
  (void)nvml.find("nvmlDeviceGetPowerManagementDefaultLimit", to.default_power_limit);
}

}  // namespace

FoundLibrary find_library() noexcept {
  FoundLibrary found;
  const auto fail = [&found](const char* why) {
    std::snprintf(found.why_not.data(), found.why_not.size(), "%s", why);
    return found;
  };
  const DynamicLibrary nvml("libnvidia-ml.so.1");
  if (!nvml.is_open())
    return fail(
        "no libnvidia-ml.so.1 (it comes with the driver; in a container, with its utilities)");
  Library& to = found.functions;
  if (!nvml.find("nvmlInit_v2", to.init) ||
      !nvml.find("nvmlDeviceGetHandleByUUID", to.device_by_uuid) ||
      !nvml.find("nvmlDeviceGetIndex", to.index_of))
    return fail("this libnvidia-ml.so.1 is too old: update the driver");
  find_optional(nvml, to);
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
