// SPDX-License-Identifier: Apache-2.0
// The wish that one rank of a job is slow on purpose, so that what a report says of the job can be
// compared with what is known: its batches (data), its forward pass (compute) or its transfers
// (link). program/slow_work.hpp says how.
#pragma once

#include <string>

#include "core/support/result.hpp"

namespace CLI {
class App;
}

namespace stepscope::trainers {

enum class SlowPart { data, compute, link };

struct SlowRank {
  int rank = -1;  // none
  SlowPart part = SlowPart::data;
  double ms = 20;  // a step
};

// --slow-rank and --slow-ms.
void add_slow_rank(CLI::App& app, SlowRank& slow);
Status check_slow_rank(const SlowRank& slow, int ranks);
// Text like "data on rank 1, 20 ms a step".
std::string about(const SlowRank& slow);

}  // namespace stepscope::trainers
