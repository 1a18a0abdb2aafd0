// SPDX-License-Identifier: Apache-2.0
// Layers of one thread that a profiler wrote under several numbers: its calls under the pthread's
// (PyTorch 1.8), in a process of the runtime's own (Ascend), annotations under a number of
// the annotating tool's.
//
// A thread that holds calls alone, or annotations alone, is a layer of another one
//   of the same number that holds no calls, in whatever process; else
//   of the same process, the one with the most ops, if the ranges of both nest, never cross, and most
//   calls lie in its ranges, or most annotations around them. Calls join only where it has none.
#pragma once

#include <vector>

#include "core/model/trace.hpp"

namespace stepscope::kineto {

// By ThreadId, the thread that it is a layer of; kNone: of none.
std::vector<ThreadId> thread_layers(TraceData& data);

}  // namespace stepscope::kineto
