// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/process_ranges.hpp"

namespace stepscope::recorder {
namespace {

constexpr std::uint32_t kProcessLanes = 0x80000000U;  // a lane each
constexpr int kRoundsOfAnEarlyEnd = 2;

}  // namespace

bool ProcessRanges::begin(std::uint64_t id, const OpenRange& range) {
  if (open_.size() >= kMostOpen && !open_.contains(id)) return false;
  open_[id] = range;
  return true;
}

// An id may be used again: then an end from before the begin is another range's.
bool ProcessRanges::ended(std::uint64_t id, std::int64_t time) {
  const auto found = open_.find(id);
  if (found == open_.end() || found->second.begin > time) return false;
  rows_.end(found->second, time);
  open_.erase(found);
  return true;
}

void ProcessRanges::end(std::uint64_t id, std::int64_t time) {
  if (!ended(id, time)) early_ends_.push_back({id, time, kRoundsOfAnEarlyEnd});
}

void ProcessRanges::retry_early_ends() {
  std::vector<EarlyEnd> ends;
  ends.swap(early_ends_);
  for (const EarlyEnd& end : ends) {
    if (!ended(end.id, end.time) && end.rounds > 1)
      early_ends_.push_back({end.id, end.time, end.rounds - 1});
  }
}

void ProcessRanges::list_open() {
  for (auto& [id, range] : open_)
    rows_.list_open(range, kProcessLanes | static_cast<std::uint32_t>(id));
}

}  // namespace stepscope::recorder
