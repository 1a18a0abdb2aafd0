// SPDX-License-Identifier: Apache-2.0
// How the nodes of CUDA graphs come to be, as records in the ring of the thread that makes them: a
// node that a capture (or the program by hand) makes, with the line that made it, and a clone with
// its original. CUPTI reports both in the call that makes the node: a captured kernel's launch, an
// instantiation.
//
// An instantiation reports each node first as created, then as cloned: only the clone is recorded,
// for nothing is captured there. Unverified without a device: activity records name the node of the
// executable graph, a clone; a reader accepts either.
#pragma once

#include "collectors/cupti/calls/call_hooks.hpp"

namespace stepscope::cupti {

// Bounds what a program that builds graphs without end may record.
inline constexpr std::uint32_t kMaxGraphNodes = 1U << 20U;

// The callbacks stay on while the plan records nothing, so that later launches of these graphs can
// be placed.
bool instantiates_graphs(const ApiFunction& call) noexcept;

// Switches the callbacks on. Where the library is too old a note says so, once.
void enable_graph_hooks(const Library& library, Subscriber subscriber,
                        const HookOptions& options) noexcept;

// False: a library that is too old, or graphs are recorded whole.
bool takes_graph_nodes() noexcept;

// The resource domain's callbacks of nodes; others are left alone. `call`: the outermost CUDA call
// that the thread is in, or null.
void on_graph_callback(std::uint32_t id, const ResourceData& data,
                       const ApiFunction* call) noexcept;

}  // namespace stepscope::cupti
