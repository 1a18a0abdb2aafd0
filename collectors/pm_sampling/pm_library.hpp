// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions for PM sampling, of the libcupti that the process has.
#pragma once

#include "collectors/pm_sampling/pm_abi.hpp"

namespace stepscope::pm {

// The boundary to the vendor: tests fill it with their own.
struct Library {
  Status (*initialize)(Initialize* parameters);
  Status (*chip_name)(GetChipName* parameters);
  Status (*availability)(GetCounterAvailability* parameters);
  Status (*host_initialize)(HostInitialize* parameters);
  Status (*host_deinitialize)(HostDeinitialize* parameters);
  Status (*add_metrics)(AddMetrics* parameters);
  Status (*config_size)(GetConfigSize* parameters);
  Status (*config)(GetConfig* parameters);
  Status (*passes)(GetPasses* parameters);
  Status (*evaluate)(Evaluate* parameters);
  Status (*enable)(Enable* parameters);
  Status (*disable)(OfSampling* parameters);
  Status (*set_config)(SetConfig* parameters);
  Status (*data_size)(GetDataSize* parameters);
  Status (*initialize_data)(InitializeData* parameters);
  Status (*start)(OfSampling* parameters);
  Status (*stop)(OfSampling* parameters);
  Status (*decode)(DecodeData* parameters);
  Status (*data_info)(GetDataInfo* parameters);
  Status (*sample_info)(GetSampleInfo* parameters);
};

struct FoundLibrary {
  Library functions{};
  const char* missing = nullptr;  // the first function that it lacks; null: usable
};

// `path` of a libcupti that is mapped already, or can be.
FoundLibrary find_library(const char* path) noexcept;

}  // namespace stepscope::pm
