// SPDX-License-Identifier: Apache-2.0
// Packs events that may overlap or nest into as few rows as hold them all: each event goes to the
// highest row that is free at its begin. Nested events stand below what encloses them, overlapping
// ones beside each other in rows; none is dropped, clipped or hidden.
#pragma once

#include <vector>

#include "viewer/lod/row.hpp"

namespace stepscope::viewer {

class SubLanes {
 public:
  // Adds an event, in order of begin, the longer first where two begin together.
  void add(std::int64_t begin, std::int64_t end, std::uint32_t id, std::uint32_t look = 0);
  std::vector<Row> finish();

  // Events that did not fit into the first row.
  std::uint64_t overlaps() const { return overlaps_; }

 private:
  std::vector<Row> rows_;
  std::uint64_t overlaps_ = 0;
};

}  // namespace stepscope::viewer
