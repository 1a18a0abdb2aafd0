// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/threads.hpp"

namespace stepscope {
namespace {

bool runs_backward_nodes(const Trace& trace, ThreadId thread) {
  const Rows rows = trace.ranges_of(thread);
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    if (trace.host_ranges().kind[r] == HostKind::backward_node) return true;
  }
  return false;
}

}  // namespace

Threads::Threads(const Trace& trace, const Steps& steps) : loop_(steps.thread) {
  const std::vector<Thread>& threads = trace.data().threads;
  for (ThreadId t = 0; t < threads.size(); ++t) {
    const bool named = threads[t].name.find("pt_autograd") != std::string::npos;
    const bool worker = t != loop_ && threads[t].process == steps.process &&
                        (named || runs_backward_nodes(trace, t));
    worker_.push_back(worker);
    if (worker) workers_.push_back(t);
    work_.emplace_back(trace, t, TimelineOf::work);
    calls_.emplace_back(trace, t, TimelineOf::calls);
  }
}

}  // namespace stepscope
