// SPDX-License-Identifier: Apache-2.0
// How a device was while the steps ran, in the words of every report.
#pragma once

#include <string>
#include <vector>

#include "core/device_health/device_health.hpp"

namespace stepscope {

// Whether a reader should act on it: clocks held down, memory that grows, a device that is shared.
bool has_trouble(const DeviceHealth& health);

// Returns the sentences about one device: clocks, reasons, power; then memory, sharing and slow
// steps.
std::vector<std::string> health_sentences(const DeviceHealth& health);

// The same in one line, after the device's number: "GPU 1: SM clock 1755 MHz, 642 W".
std::string health_line(const DeviceHealth& health);

}  // namespace stepscope
