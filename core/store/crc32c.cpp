// SPDX-License-Identifier: Apache-2.0
#include "core/store/format.hpp"

#include <array>
#include <cstring>

namespace stepscope::store {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) ? 0x82f63b78U : 0U);
    table[i] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const std::uint8_t* at,
                                                               std::size_t bytes) {
  std::uint64_t crc = 0xffffffffU;
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; bytes > 0; ++at, --bytes) narrow = __builtin_ia32_crc32qi(narrow, *at);
  return ~narrow;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const std::uint8_t*>(data);
  std::uint32_t crc = 0xffffffffU;
  for (; bytes > 0; ++at, --bytes) crc = (crc >> 8U) ^ kTable[(crc ^ *at) & 0xffU];
  return ~crc;
}

std::uint32_t crc32c(const void* data, std::size_t bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return by_instruction(static_cast<const std::uint8_t*>(data), bytes);
#endif
  return crc32c_by_table(data, bytes);
}

}  // namespace stepscope::store
