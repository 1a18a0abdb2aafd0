// SPDX-License-Identifier: Apache-2.0
#include "core/steps/busiest_thread.hpp"

namespace stepscope {

ThreadId busiest_thread(const Trace& trace, ProcessId process) {
  ThreadId busiest = kNone;
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    if (trace.data().threads[t].process != process) continue;
    if (busiest == kNone || trace.ranges_of(t).size() > trace.ranges_of(busiest).size())
      busiest = t;
  }
  return busiest;
}

}  // namespace stepscope
