// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78, initial value and final xor all ones), by
// the processor's instruction where it has one. crc32c("123456789") == 0xe3069283.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::store {

std::uint32_t crc32c(const void* data, std::size_t bytes);

// The same by table, for machines without the instruction (and to test the other against).
std::uint32_t crc32c_by_table(const void* data, std::size_t bytes);

}  // namespace stepscope::store
