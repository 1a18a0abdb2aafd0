// SPDX-License-Identifier: Apache-2.0
// Activations that lie in files (activation_files/), of any size: batches are read ahead, in the
// numbers' own type. As in the reference, a batch is then normalised on the host, in the loop, and
// copied to the device one tensor after the other; with the fix device_data it is copied whole,
// from pinned memory while the step before it runs, and becomes fp32 and normalised on the device.
#pragma once

#include <memory>
#include <optional>

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"

namespace stepscope::clt {

// Opens a folder of activations. An Error names the file and what does not fit the configuration.
// The store gives the rows `own` of each batch; all rows, where `own` is empty.
Result<std::unique_ptr<ActivationStore>> open_file_store(const Config& config, at::Device device,
                                                         std::optional<trainers::Span> own = {});

}  // namespace stepscope::clt
