// SPDX-License-Identifier: Apache-2.0
#include "core/support/memory_room.hpp"

#include <fmt/format.h>

namespace stepscope {
namespace {

std::string need_text(std::uint64_t held, std::uint64_t done, std::uint64_t total) {
  if (done == 0 || done >= total) return "all of it needs more";
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const double need = static_cast<double>(held) / share / (1U << 20U);
  return fmt::format("all of it needs about {:.0f} MiB", need);
}

}  // namespace

Status MemoryRoom::check(std::uint64_t done, std::uint64_t total) const {
  const std::uint64_t held = held_(), left = left_();
  if (left >= held) return Done{};
  return Error{ErrorCode::unsupported,
               fmt::format("is too large for this machine: a part of it takes {} MiB of memory, {} "
                           "MiB are left, and {}. Record fewer steps, or use a larger machine",
                           held >> 20U, left >> 20U, need_text(held, done, total))};
}

}  // namespace stepscope
