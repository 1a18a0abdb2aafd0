// SPDX-License-Identifier: Apache-2.0
// The user's line behind a moment on a host thread: the recorded call site of the op or call there,
// else the innermost Python function of user code (a function line: the call is somewhere in its
// body). Autograd threads run no Python: they answer with their caller's line at that moment.
#pragma once

#include <vector>

#include "core/attribution/threads.hpp"

namespace stepscope {

class CallSites {
 public:
  CallSites(const Trace& trace, const Threads& threads);

  // The site at `time` on `thread`, where `innermost` is the range active there (or kNone).
  SiteId at(ThreadId thread, std::int64_t time, RangeId innermost) const;

 private:
  const Threads& threads_;
  std::vector<SiteId> nearest_;  // a range: the user's line of itself or of what encloses it
};

}  // namespace stepscope
