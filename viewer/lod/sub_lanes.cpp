// SPDX-License-Identifier: Apache-2.0
#include "viewer/lod/sub_lanes.hpp"

#include <utility>

namespace stepscope::viewer {

void SubLanes::add(std::int64_t begin, std::int64_t end, std::uint32_t id, std::uint32_t look) {
  std::size_t row = 0;
  while (row < rows_.size() && rows_[row].last_end() > begin) ++row;
  if (row == rows_.size()) rows_.emplace_back();
  if (row > 0) ++overlaps_;
  rows_[row].add(begin, end, id, look);
}

std::vector<Row> SubLanes::finish() {
  for (Row& row : rows_) row.finish();
  return std::move(rows_);
}

}  // namespace stepscope::viewer
