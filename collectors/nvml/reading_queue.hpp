// SPDX-License-Identifier: Apache-2.0
// Readings on their way from the sampler's thread to the writer's.
#pragma once

#include "collectors/nvml/device_reader.hpp"
#include "collectors/recorder/single_producer_queue.hpp"

namespace stepscope::nvml {

using ReadingQueue = recorder::SingleProducerQueue<Reading, 1024>;  // 12 s of 8 devices at 100 ms

}  // namespace stepscope::nvml
