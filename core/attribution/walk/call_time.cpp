// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/walk/call_time.hpp"

#include <algorithm>

#include "core/attribution/process_index.hpp"

namespace stepscope {
namespace {

// A synchronisation that had nothing to wait for costs about this at most, and so does the return
// of one behind what it waited for. A longer one waited for something that was not recorded.
constexpr std::int64_t kSyncReturnLimitNs = 10'000;
// The least rate at which the host may still copy bytes after a copy from or to pageable memory.
constexpr std::int64_t kSlowestHostCopyBytesPerNs = 2;
// A launch call of this many times the typical length, and at least kLongLaunchNs, with room in the
// queue: nobody knows what it did (a lock, the scheduler), but where it loads its kernel.
constexpr std::int64_t kLongLaunchFactor = 20;
constexpr std::int64_t kLongLaunchNs = 100'000;

}  // namespace

// Returns the longest time from the end of what a call waited for to its return; a copy of unknown
// size has no limit.
std::int64_t CallTime::return_limit(ApiKind api, DeviceOpId awaited) const {
  if (is_sync(api)) return kSyncReturnLimitNs;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 50U;
  const std::uint64_t bytes = std::min(index_.trace.device_ops().bytes[awaited], kLargest);
  return kSyncReturnLimitNs + static_cast<std::int64_t>(bytes) / kSlowestHostCopyBytesPerNs;
}

void CallTime::own(WalkPath& path, ThreadId thread, const Piece& piece) const {
  const DeviceOps& d = index_.trace.device_ops();
  const CallId call = index_.trace.call_of(piece.innermost);
  const ApiKind api = index_.trace.calls().api[call];
  const DeviceOpId awaited = index_.dependencies.awaited_by(call);
  const std::int64_t piece_begin = std::max(piece.time.begin, path.begin);
  if (awaited != kNone) {
    const std::int64_t returned_from = d.end[awaited];
    owners_.host(path, std::max(returned_from + return_limit(api, awaited), piece_begin),
                 Cause::unknown, thread, piece.innermost);
    owners_.host(path, std::max(returned_from, piece_begin), Cause::host_sync_return, thread,
                 piece.innermost);
    if (path.done() || path.time == piece_begin) return;
    if (d.begin[awaited] < path.time && is_sync(api)) {
      owners_.device(path, d.begin[awaited], Cause::gpu_wait_peer, awaited);
      path.op = awaited;
      return;
    }
  } else if (is_sync(api)) {
    owners_.host(path, std::max(piece_begin, path.time - kSyncReturnLimitNs),
                 Cause::host_sync_return, thread, piece.innermost);
    owners_.host(path, piece_begin, Cause::unknown, thread, piece.innermost);
    return;
  }
  own_launch(path, thread, piece, call);
}

void CallTime::own_launch(WalkPath& path, ThreadId thread, const Piece& piece, CallId call) const {
  const ApiKind api = index_.trace.calls().api[call];
  const RangeId range = piece.innermost;
  if (api != ApiKind::launch_kernel) {
    owners_.host(path, piece.time.begin, cause_of_api(api), thread, range);
    return;
  }
  if (index_.dependencies.blocked_on_full_queue(call)) {
    owners_.host(path, piece.time.begin, Cause::host_queue_full, thread, range);
    return;
  }
  const HostRanges& h = index_.trace.host_ranges();
  const std::int64_t took = h.end[range] - h.begin[range];
  const std::int64_t typical = index_.dependencies.typical_launch_call_ns();
  Cause cause = Cause::host_launch_api;
  if (took >= kLongLaunchNs && took >= kLongLaunchFactor * typical)
    cause = index_.dependencies.loads_its_kernel(call) ? Cause::host_module_load : Cause::unknown;
  owners_.host(path, piece.time.begin, cause, thread, range);
}

}  // namespace stepscope
