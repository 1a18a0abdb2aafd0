// SPDX-License-Identifier: Apache-2.0
// The forward op, or launch, in which each backward node was made: by the number that the node took
// from its forward thread's count (HostRanges::sequence).
//
// Rows that carry the count are ops, recorded at their begin: node s was made in the last op that
// began at a count of at most s. Where a thread's ops are not recorded, launches carry it: the
// first one at a count beyond s works for the node s, or for one made right behind it. If several
// threads count, the node's own one is found by PyTorch's thread number where launches hold it,
// else by which thread's ops have the names of the nodes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

class ForwardOps {
 public:
  explicit ForwardOps(const Trace& trace);

  // Returns the op or launch that made a backward node; kNone where its forward is not in the
  // trace.
  RangeId of(RangeId node) const { return made_in_[node]; }

 private:
  struct Count {  // a row that carries the count
    std::int64_t begin;
    std::uint32_t next;  // number of the node that comes next
    RangeId range;
  };
  struct Counter {
    ProcessId process = 0;
    std::uint32_t number = kNone;  // PyTorch's own number of this thread
    std::vector<Count> ops;        // in time order, and so in that of their counts
    std::vector<Count> launches;
  };
  // A run of nodes that have one forward thread.
  struct Family {
    ProcessId process = 0;
    std::uint32_t forward_thread = kNone;
    std::vector<RangeId> nodes;
  };

  void count_rows();
  std::vector<Family> families() const;
  const Counter* thread_of(const Family& family) const;
  RangeId made_in(const Counter& counter, RangeId node) const;
  std::size_t names_in_common(const Counter& counter, const Family& family) const;

  const Trace& trace_;
  std::vector<Counter> counters_;  // threads that count
  std::vector<RangeId> made_in_;   // by RangeId; kNone of all but nodes
};

// "MmBackward0" is made by "aten::mm".
bool is_node_of(std::string_view node, std::string_view op);

}  // namespace stepscope
