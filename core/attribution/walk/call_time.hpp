// SPDX-License-Identifier: Apache-2.0
// Who owns the time inside of a CUDA call. Waiting in it is an edge, not a cause: only the return
// from what was awaited has an owner (host.sync_return), and the path goes on behind that op. A
// launch owns its time, unless it waited for room in the queue, or took far longer than launches do
// for a reason that no record shows.
#pragma once

#include "core/attribution/walk/owners.hpp"

namespace stepscope {

class CallTime {
 public:
  CallTime(const ProcessIndex& index, const Owners& owners) : index_(index), owners_(owners) {}

  // `piece` is in the call; the path's time is in it or at its end.
  void own(WalkPath& path, ThreadId thread, const Piece& piece) const;

 private:
  void own_launch(WalkPath& path, ThreadId thread, const Piece& piece, CallId call) const;
  std::int64_t return_limit(ApiKind api, DeviceOpId awaited) const;

  const ProcessIndex& index_;
  const Owners& owners_;
};

}  // namespace stepscope
