// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/ranges.hpp"

#include <atomic>

#include "core/model/events.hpp"

namespace stepscope::nvtx {
namespace {
constinit std::atomic<std::uint64_t> next_range_id{1};
}

int push_range(const Domain* domain, recorder::RangeName name) noexcept {
  recorder::begin_range(range_lane(domain), HostKind::nvtx_range, name, category_of(domain), 0,
                        kNoSequence);
  return kNoPushPopTracking;
}

int pop_range(const Domain* domain) noexcept {
  recorder::end_range(range_lane(domain));
  return kNoPushPopTracking;
}

std::uint64_t start_range(const Domain* domain, recorder::RangeName name) noexcept {
  const std::uint64_t id = next_range_id.fetch_add(1, std::memory_order_relaxed);
  recorder::begin_process_range(id, name, category_of(domain));
  return id;
}

void end_range(std::uint64_t id) noexcept {
  if (id != 0) recorder::end_process_range(id);  // 0: started before a tool was there
}

void mark(const Domain* domain, recorder::RangeName name) noexcept {
  recorder::mark(name, category_of(domain));
}

}  // namespace stepscope::nvtx
