// SPDX-License-Identifier: Apache-2.0
// Name, memory and size of the devices that a process uses, asked of the driver that it has mapped.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/entities.hpp"

namespace stepscope::cupti {

// Nothing where the driver does not answer (it may be shutting down).
std::optional<Device> device_facts(std::uint32_t index) noexcept;

}  // namespace stepscope::cupti
