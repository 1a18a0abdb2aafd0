// SPDX-License-Identifier: Apache-2.0
// The line of a silence that no look of the sampler fell into: a loop comes by the same place again
// and again, and the line at which it was seen there most often stands in (of lines as common as
// another, the one with the lower id).
//
// A place is the innermost range around the silence, by its name and call site: batches of two
// loaders have one name. Where there is none, the names of the ranges before and after are.
#pragma once

#include <map>
#include <tuple>
#include <utility>

#include "core/attribution/host/threads.hpp"

namespace stepscope {

class UsualLines {
 public:
  UsualLines(const Trace& trace, const Threads& threads);

  // kNone: it was never seen there.
  SiteId of(ThreadId thread, const Piece& silence) const;

 private:
  using Place = std::pair<StringId, SiteId>;
  using Where = std::tuple<ThreadId, Place, Place>;
  Where where(ThreadId thread, const Piece& silence) const;

  const Trace& trace_;
  const Threads& threads_;
  std::map<Where, SiteId> lines_;
};

}  // namespace stepscope
