// SPDX-License-Identifier: Apache-2.0
// From a trace, the steps and the attribution of one rank to what the job's ledger reads.
#include "core/summary/job/read_part.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/attribution/device/collectives.hpp"
#include "core/attribution/process_index.hpp"
#include "core/summary/parts.hpp"
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope::job {
namespace {

constexpr std::int64_t kLongestLaunch_ns = 200'000;

class Reader {
 public:
  Reader(const Trace& trace, const Attribution& attribution, Owners& owners)
      : trace_(trace),
        attribution_(attribution),
        paths_(summary_parts::phase_paths(attribution.phases)),
        owners_(owners) {}

  RankRecord read(const Steps& steps) {
    const Process& process = trace_.data().processes[steps.process];
    RankRecord out{.rank = process.rank, .host = process.host};
    add_collectives(steps.process, out);
    for (const Segment& segment : attribution_.process.segments) {
      const Piece piece{segment.time, owner_of(segment), collective_of(segment)};
      Piece* last = out.pieces.empty() ? nullptr : &out.pieces.back();
      if (last != nullptr && last->owner == piece.owner && last->collective == piece.collective &&
          last->time.end == piece.time.begin) {
        last->time.end = piece.time.end;
      } else {
        out.pieces.push_back(piece);
      }
    }
    add_host_waits(steps.process, out);
    for (const std::uint32_t row : summary_parts::choose_steps(steps).rows)
      out.steps.push_back(steps.list[row].window);
    return out;
  }

 private:
  struct Found {
    CollectiveUse use;
    DeviceOpId op = kNone;
    RangeId range = kNone;
  };

  void add_collectives(ProcessId process, RankRecord& out) {
    const DeviceOps& d = trace_.device_ops();
    const HostRanges& h = trace_.host_ranges();
    std::vector<Found> found;
    for (const CollectiveOp& c : collective_ops_of(trace_, process))
      found.push_back({{c.communicator,
                        c.ordinal,
                        std::string(trace_.text(d.name[c.op])),
                        {d.begin[c.op], d.end[c.op]},
                        c.bytes,
                        c.messages},
                       c.op});
    for (const RangeId range : collectives_beside(trace_, attribution_.index->threads)) {
      const std::string_view name = trace_.text(h.name[range]);
      if (group_waits_for_all(name))
        found.push_back(
            {{.name = std::string(name), .time = {h.begin[range], h.end[range]}}, kNone, range});
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
      return a.use.time.begin < b.use.time.begin;
    });
    for (Found& each : found) {
      const auto row = static_cast<std::uint32_t>(out.collectives.size());
      if (each.op != kNone) by_op_[each.op] = row;
      if (each.range != kNone) by_range_[each.range] = row;
      out.collectives.push_back(std::move(each.use));
    }
  }

  // Calls that return when the device is done, those that took much longer than a launch does, since
  // the queue was full, and waits in a process group of the host.
  void add_host_waits(ProcessId process, RankRecord& out) const {
    std::vector<Interval> waits;
    for (const Piece& piece : out.pieces)
      if (piece.collective != kNone && owners_[piece.owner].cause == Cause::comm_wait)
        waits.push_back(piece.time);
    if (!trace_.data().collected.api_calls && waits.empty()) return;
    const Calls& calls = trace_.calls();
    const HostRanges& h = trace_.host_ranges();
    for (CallId call = 0; call < calls.size(); ++call) {
      const RangeId range = calls.range[call];
      if (trace_.data().threads[h.thread[range]].process != process) continue;
      const Interval time{h.begin[range], h.end[range]};
      const bool blocks = is_sync(calls.api[call]) || calls.api[call] == ApiKind::memcpy_blocking;
      if (blocks || (is_launch(calls.api[call]) && time.length() > kLongestLaunch_ns))
        waits.push_back(time);
    }
    out.host_waits = unite(std::move(waits));
  }

  std::uint32_t collective_of(const Segment& segment) const {
    const bool on_device =
        segment.cause == Cause::comm_transfer || segment.cause == Cause::comm_late_rank;
    if (on_device && segment.device_evidence != kNone) {
      const auto at = by_op_.find(segment.device_evidence);
      return at == by_op_.end() ? kNone : at->second;
    }
    if (segment.cause != Cause::comm_wait) return kNone;
    const auto at = by_range_.find(segment.host_evidence);
    return at == by_range_.end() ? kNone : at->second;
  }

  std::uint32_t owner_of(const Segment& segment) {
    StringId name = 0;
    bool annotation = false;
    if (segment.device_evidence != kNone) {
      name = trace_.device_ops().name[segment.device_evidence];
    } else if (segment.host_evidence != kNone) {
      name = trace_.host_ranges().name[segment.host_evidence];
      annotation = is_annotation(trace_.host_ranges().kind[segment.host_evidence]);
    }
    // What the local view calls a late rank is decided anew, by all ranks.
    const Cause cause =
        segment.cause == Cause::comm_late_rank ? Cause::comm_transfer : segment.cause;
    const auto key = std::tuple(cause, segment.phase, segment.site, name, segment.direction);
    const auto [known, is_new] = known_.try_emplace(key, 0);
    if (is_new) {
      const Site site = segment.site == kNone ? Site{} : trace_.data().sites[segment.site];
      known->second = owners_.id_of(
          {cause, summary_parts::phase_name(attribution_.phases, segment.phase),
           paths_[segment.phase], std::string(trace_.text(site.file)), site.line,
           std::string(trace_.text(site.function)),
           name == 0 ? "" : operation_name(trace_.text(name), annotation), segment.direction});
    }
    return known->second;
  }

  const Trace& trace_;
  const Attribution& attribution_;
  std::vector<std::string> paths_;
  Owners& owners_;
  std::unordered_map<DeviceOpId, std::uint32_t> by_op_;
  std::unordered_map<RangeId, std::uint32_t> by_range_;
  std::map<std::tuple<Cause, PhaseId, SiteId, StringId, Direction>, std::uint32_t> known_;
};

}  // namespace

RankRecord read_rank(const Trace& trace, const Steps& steps, const Attribution& attribution,
                     Owners& owners) {
  return Reader(trace, attribution, owners).read(steps);
}

}  // namespace stepscope::job
