// SPDX-License-Identifier: Apache-2.0
// Ranges that may end on another thread than they began on, paired by their id. The end is seen
// before its begin where the other thread's ring is read first, so it waits for two batches.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collectors/recorder/draining/range_rows.hpp"

namespace stepscope::recorder {

class ProcessRanges {
 public:
  explicit ProcessRanges(EventBatch& batch) : rows_(batch) {}

  static constexpr std::size_t kMostOpen = 4096;

  // False: so many are open that this one is left out.
  bool begin(std::uint64_t id, const OpenRange& range);
  void end(std::uint64_t id, std::int64_t time);
  // Matches ends that came early, before the batch is written.
  void retry_early_ends();
  void list_open();

 private:
  struct EarlyEnd {
    std::uint64_t id;
    std::int64_t time;
    int rounds;
  };
  bool ended(std::uint64_t id, std::int64_t time);

  RangeRows rows_;
  std::unordered_map<std::uint64_t, OpenRange> open_;
  std::vector<EarlyEnd> early_ends_;
};

}  // namespace stepscope::recorder
