// SPDX-License-Identifier: Apache-2.0
// The numbers by which a backward node finds the forward op that made it.
//
// Each thread of the program counts its autograd nodes: a node takes the number that the counter
// stands at, before its op does any work. So the counter, read at an op's begin, is the number of
// the node that the op is about to make; read at a kernel's launch, it is one more than that of the
// node whose op launches. A node keeps its number and PyTorch's own number of its forward thread.
//
// PyTorch exports the counter, but not where a RecordFunction keeps a node's number. That is found
// out once: a number is given to an object of ours, which is then searched for it.
#pragma once

#include <cstdint>

#include "collectors/record_function/torch_library.hpp"
#include "core/model/events.hpp"

namespace stepscope {

// Finds out where nodes keep their numbers. Before it, and where PyTorch lacks a symbol, the
// functions below know nothing. True where nodes can be read.
bool find_autograd_numbers(const TorchLibrary& torch) noexcept;

// The calling thread's counter; kNoSequence where it is not known.
std::uint32_t next_sequence() noexcept;

// The same with PyTorch's number of the calling thread in the upper half; 0 where it is not known,
// or the same as when the thread asked last.
std::uint64_t changed_sequence() noexcept;

// The numbers of a backward node.
struct NodeNumbers {
  std::uint32_t sequence = kNoSequence;
  std::uint32_t forward_thread = 0;  // PyTorch's number of it; 0: not known
};
NodeNumbers node_numbers(const torch_abi::RecordFunction& node) noexcept;

}  // namespace stepscope
