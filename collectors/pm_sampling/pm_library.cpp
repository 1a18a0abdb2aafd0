// SPDX-License-Identifier: Apache-2.0
#include "collectors/pm_sampling/pm_library.hpp"

#include <dlfcn.h>

#include "collectors/cupti/library/resolve.hpp"

namespace stepscope::pm {
namespace {

using cupti::resolve;

const char* resolve_all(void* handle, Library& to) noexcept {
  const char* missing = nullptr;
  (void)(resolve(handle, "cuptiProfilerInitialize", to.initialize, missing) &&
         resolve(handle, "cuptiDeviceGetChipName", to.chip_name, missing) &&
         resolve(handle, "cuptiPmSamplingGetCounterAvailability", to.availability, missing) &&
         resolve(handle, "cuptiProfilerHostInitialize", to.host_initialize, missing) &&
         resolve(handle, "cuptiProfilerHostDeinitialize", to.host_deinitialize, missing) &&
         resolve(handle, "cuptiProfilerHostConfigAddMetrics", to.add_metrics, missing) &&
         resolve(handle, "cuptiProfilerHostGetConfigImageSize", to.config_size, missing) &&
         resolve(handle, "cuptiProfilerHostGetConfigImage", to.config, missing) &&
         resolve(handle, "cuptiProfilerHostGetNumOfPasses", to.passes, missing) &&
         resolve(handle, "cuptiProfilerHostEvaluateToGpuValues", to.evaluate, missing) &&
         resolve(handle, "cuptiPmSamplingEnable", to.enable, missing) &&
         resolve(handle, "cuptiPmSamplingDisable", to.disable, missing) &&
         resolve(handle, "cuptiPmSamplingSetConfig", to.set_config, missing) &&
         resolve(handle, "cuptiPmSamplingGetCounterDataSize", to.data_size, missing) &&
         resolve(handle, "cuptiPmSamplingCounterDataImageInitialize", to.initialize_data,
                 missing) &&
         resolve(handle, "cuptiPmSamplingStart", to.start, missing) &&
         resolve(handle, "cuptiPmSamplingStop", to.stop, missing) &&
         resolve(handle, "cuptiPmSamplingDecodeData", to.decode, missing) &&
         resolve(handle, "cuptiPmSamplingGetCounterDataInfo", to.data_info, missing) &&
         resolve(handle, "cuptiPmSamplingCounterDataGetSampleInfo", to.sample_info, missing));
  return missing;
}

}  // namespace

FoundLibrary find_library(const char* path) noexcept {
  FoundLibrary found;
  void* handle = dlopen(path, RTLD_NOW);
  found.missing = handle == nullptr ? "libcupti" : resolve_all(handle, found.functions);
  return found;
}

}  // namespace stepscope::pm
