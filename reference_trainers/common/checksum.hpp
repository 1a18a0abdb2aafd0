// SPDX-License-Identifier: Apache-2.0
// A 64-bit checksum against damage on the way to a disk and back; not against intent. A word of 8
// bytes at a time: any one word that differs changes it for certain, several all but
// certainly.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::trainers {

// Continues the checksum `before` over further bytes.
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t before = 0);

}  // namespace stepscope::trainers
