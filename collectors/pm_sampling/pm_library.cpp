// SPDX-License-Identifier: Apache-2.0
#include "collectors/pm_sampling/pm_library.hpp"

#include "core/support/dynamic_library.hpp"

namespace stepscope::pm {
namespace {

const char* resolve_all(const DynamicLibrary& library, Library& to) noexcept {
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto& function) {
    if (!library.find(name, function)) missing = name;
    return function != nullptr;
  };
  (void)(find("cuptiProfilerInitialize", to.initialize) &&
         find("cuptiDeviceGetChipName", to.chip_name) &&
         find("cuptiPmSamplingGetCounterAvailability", to.availability) &&
         find("cuptiProfilerHostInitialize", to.host_initialize) &&
         find("cuptiProfilerHostDeinitialize", to.host_deinitialize) &&
         find("cuptiProfilerHostConfigAddMetrics", to.add_metrics) &&
         find("cuptiProfilerHostGetConfigImageSize", to.config_size) &&
         find("cuptiProfilerHostGetConfigImage", to.config) &&
         find("cuptiProfilerHostGetNumOfPasses", to.passes) &&
         find("cuptiProfilerHostEvaluateToGpuValues", to.evaluate) &&
         find("cuptiPmSamplingEnable", to.enable) && find("cuptiPmSamplingDisable", to.disable) &&
         find("cuptiPmSamplingSetConfig", to.set_config) &&
         find("cuptiPmSamplingGetCounterDataSize", to.data_size) &&
         find("cuptiPmSamplingCounterDataImageInitialize", to.initialize_data) &&
         find("cuptiPmSamplingStart", to.start) && find("cuptiPmSamplingStop", to.stop) &&
         find("cuptiPmSamplingDecodeData", to.decode) &&
         find("cuptiPmSamplingGetCounterDataInfo", to.data_info) &&
         find("cuptiPmSamplingCounterDataGetSampleInfo", to.sample_info));
  return missing;
}

}  // namespace

FoundLibrary find_library(const char* path) noexcept {
  FoundLibrary found;
  const DynamicLibrary library(path);
  found.missing = library.is_open() ? resolve_all(library, found.functions) : "libcupti";
  return found;
}

}  // namespace stepscope::pm
