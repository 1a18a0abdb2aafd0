// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/checksum.hpp"

#include <cstring>

namespace stepscope::trainers {
namespace {

// Every part of it can be undone, so that no difference is lost.
std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  sum = (sum ^ word) * kOdd;
  return sum ^ (sum >> 32);
}

}  // namespace

std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t before) {
  const auto* at = static_cast<const char*>(data);
  std::uint64_t sum = mixed(before, bytes), word = 0;
  for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
    std::memcpy(&word, at, sizeof word);
    sum = mixed(sum, word);
  }
  word = 0;
  if (bytes > 0) std::memcpy(&word, at, bytes);
  return mixed(sum, word);
}

}  // namespace stepscope::trainers
