// SPDX-License-Identifier: Apache-2.0
// Which communication call a communication kernel works for: the innermost NCCL call that its
// launch (in a CUDA graph: its capture) stands in. Calls between ncclGroupStart and ncclGroupEnd
// are launched by the end of the outermost group, together: NCCL makes one kernel of several calls,
// so kernels and calls of a group are tied as a whole.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

class Messages {
 public:
  // Rows of Collectives that are launched together; more than one in a group.
  using Calls = std::vector<std::uint32_t>;

  explicit Messages(const Trace& trace) : trace_(trace) {}

  // The calls that a kernel launched within `range` works for; empty where none is known.
  const Calls& launched_in(RangeId range);

 private:
  bool is_nccl(RangeId range) const;
  Calls calls_of(RangeId nccl_range) const;
  Calls calls_of_group(RangeId end) const;
  std::uint32_t row_of(RangeId range) const;

  const Trace& trace_;
  std::unordered_map<RangeId, Calls> known_;  // by NCCL range
  Calls none_;
};

}  // namespace stepscope
