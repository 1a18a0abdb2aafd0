// SPDX-License-Identifier: Apache-2.0
// Parts of the collector that can be left out, to find the one that disturbs a program
// (tests/gpu/bisect_graphs.py). Each takes its records along.
#pragma once

#include <cstdint>

namespace stepscope::cupti {

struct Parts {
  bool records = true;      // records of kernels, copies, sets and graphs
  bool calls = true;        // callbacks of CUDA calls
  bool lines = true;        // Python lines of calls and nodes, autograd numbers
  bool streams = true;      // CUPTI is asked for a stream's number, within a call
  bool graph_nodes = true;  // callbacks of nodes of CUDA graphs, and CUPTI asked for their ids
  bool resources = true;    // callbacks of streams and contexts that end
  bool state = true;        // CUPTI's own errors
  bool overhead = true;     // records of the profiler's own work
  bool flush = true;        // records are asked for before the end
};

// "calls,flush": those are left out of `parts`. Words that name none are passed over.
void leave_out(Parts& parts, const char* words) noexcept;

}  // namespace stepscope::cupti
