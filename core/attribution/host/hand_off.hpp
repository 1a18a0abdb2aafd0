// SPDX-License-Identifier: Apache-2.0
// Bursts of autograd nodes: the loop's thread hands over to an engine's thread, which runs nodes
// one after another, and waits until the last has ended.
#pragma once

#include "core/attribution/host/threads.hpp"
#include "core/model/trace.hpp"

namespace stepscope {

// `gap` is a stretch of an engine's thread in which nothing ran. True where the node after it is
// the first of a burst: the caller made calls of its own within the gap, so it was not waiting.
// Where no call of the caller was recorded at all, only a short gap is the engine's.
bool begins_burst(const Trace& trace, const Threads& threads, ThreadId worker, const Piece& gap);

// Between two calls a thread is on its way to the later one: that line is charged. Where an
// autograd thread works before it, the caller was on its way into the backward pass, which is at
// the line of the call before.
RangeId on_its_way(const Threads& threads, ThreadId thread, std::int64_t time);

}  // namespace stepscope
