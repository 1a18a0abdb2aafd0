// SPDX-License-Identifier: Apache-2.0
// Where the work of a CUDA graph was written: the moment at which a device op's node was made, by a
// capture or by hand, found through the clones that lead to it. Instantiating clones every node, a
// child graph's nodes once more; a conditional node's body is a child graph.
//
// The rows considered are those of the op's node that were recorded no later than the op's launch.
// The last one that reports a clone counts, else the last one that reports a new node: CUPTI may
// report a clone as new first.
#pragma once

#include <optional>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

struct Moment {
  ThreadId thread = 0;
  std::int64_t time = 0;
};

class Captures {
 public:
  explicit Captures(const Trace& trace);

  // The row of GraphNodes that made the work of `op`; kNone: no graph's, or not recorded.
  std::uint32_t of(DeviceOpId op) const;
  // The begin of the capture that a row belongs to; absent for nodes made by hand.
  std::optional<Moment> begin_of(std::uint32_t row) const;

 private:
  struct Bound {  // a call that begins or ends a capture
    ProcessId process;
    Moment at;
    bool begins;
  };
  std::uint32_t latest(ProcessId process, std::uint64_t node, bool clone, std::int64_t time) const;

  const Trace& trace_;
  std::vector<std::uint32_t> rows_;  // by (process, node, is a clone, time)
  std::vector<Bound> bounds_;        // by (process, time)
};

bool is_graph_op(const DeviceOps& ops, DeviceOpId op);

}  // namespace stepscope
