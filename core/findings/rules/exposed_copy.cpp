// SPDX-License-Identifier: Apache-2.0
// exposed_copy: copies from or to pinned memory run while no compute does, although the host does
// not wait for them: they stand in the stream of the compute that needs them.
//
//   fires where   exposed >= 3 % of the step, and ceiling >= least
//   exposed       time that copy.h2d.pinned, and copy.d2h into pinned memory, own: compute has
//                 priority in the partition, so what hides behind it is not in it
//   room          the step less what the copies of one direction take: they need that in any case
//   ceiling       min(exposed, room), by running beside compute; where that is less than half of
//                 what is exposed, half of it: half of the bytes
//   abstains      where the kind of the host's memory was not recorded
//   Copies from pageable memory are pageable_copy's.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kExposedCopy = "exposed_copy";
constexpr double kExposedCopyLeastShare = 0.03;

MemoryKind host_memory(const DeviceOps& d, DeviceOpId op) {
  if (d.copy_kind[op] == CopyKind::host_to_device) return d.source_memory[op];
  if (d.copy_kind[op] == CopyKind::device_to_host) return d.target_memory[op];
  return MemoryKind::device;
}

struct PinnedCopies {
  explicit PinnedCopies(const JudgedRun& run) : price(run) {}
  Price price;
  std::vector<DeviceOpId> ops;
  std::uint64_t bytes = 0;
  bool all_bytes_known = true;
  std::int64_t to_device = 0, to_host = 0;  // what they take on the device
  std::size_t of_unknown_memory = 0;

  std::int64_t device_ns() const { return to_device + to_host; }
};

PinnedCopies pinned_copies(const JudgedRun& run) {
  PinnedCopies out(run);
  const DeviceOps& d = run.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (!run.counts_op(op)) continue;
    const MemoryKind memory = host_memory(d, op);
    if (memory == MemoryKind::unknown) ++out.of_unknown_memory;
    if (memory != MemoryKind::pinned) continue;
    out.ops.push_back(op);
    if (d.bytes[op] == kUnknownBytes) {
      out.all_bytes_known = false;
    } else {
      out.bytes += d.bytes[op];
    }
    (d.copy_kind[op] == CopyKind::host_to_device ? out.to_device : out.to_host) +=
        d.end[op] - d.begin[op];
  }
  for (const Segment& s : run.segments()) {
    const bool copies = s.cause == Cause::copy_h2d_pinned || s.cause == Cause::copy_d2h;
    if (copies && run.counts(s.time.begin) && s.device_evidence != kNone &&
        host_memory(d, s.device_evidence) == MemoryKind::pinned)
      out.price.add(s, s.time.length());
  }
  return out;
}

// Run beside compute they give back `hidden` at most, with half of their bytes `halved`.
struct Gains {
  double exposed, hidden, halved;

  bool overlap() const { return hidden >= halved; }
  double ceiling() const { return std::max(hidden, halved); }
};

Gains gains(const JudgedRun& run, const PinnedCopies& copies) {
  const double exposed = run.wall_per_step(copies.price.total());
  const double room = run.step_ns - run.wall_per_step(std::max(copies.to_device, copies.to_host));
  return {exposed, std::clamp(room, 0.0, exposed), exposed / 2};
}

std::string copied_text(const JudgedRun& run, const PinnedCopies& copies) {
  const double each = run.count_per_step(copies.ops.size());
  std::string count = each == 1 ? "1 copy" : fmt::format("{:.3g} copies", each);
  if (!copies.all_bytes_known || copies.device_ns() == 0) return count;
  return fmt::format("{} ({} at {:.1f} GB/s)", count,
                     megabytes_text(run.count_per_step(copies.bytes)),
                     static_cast<double>(copies.bytes) / static_cast<double>(copies.device_ns()));
}

void advise_overlap(const JudgedRun& run, Finding& out, Fix fix) {
  fix.kind = FixKind::overlap_transfer;
  out.fixes = {std::move(fix)};
  advise(Advice::exposed_copy, run.language, out);
}

void advise_fewer_bytes(const JudgedRun& run, Finding& out, Fix fix) {
  fix.kind = FixKind::scale_work;
  fix.factor = fix.factor_low = fix.factor_high = 0.5;
  out.fixes = {std::move(fix)};
  advise(Advice::exposed_copy_is_too_large, run.language, out);
}

Finding copy_finding(const JudgedRun& run, const PinnedCopies& copies, const Gains& gain) {
  Finding out = copies.price.finding(gain.exposed);
  out.ceiling_ns_per_step = gain.ceiling();
  out.count_per_step = run.count_per_step(copies.ops.size());
  out.title = fmt::format(
      "{} a step from or to pinned memory: the device does nothing else for {} ({}), though the "
      "host does not wait for them",
      copied_text(run, copies), format_duration(gain.exposed), percent(run.share(gain.exposed)));
  Fix fix;
  set_ops(fix, copies.ops, kExposedCopy);
  gain.overlap() ? advise_overlap(run, out, std::move(fix))
                 : advise_fewer_bytes(run, out, std::move(fix));
  out.falsified_by = fmt::format(
      "using one batch that stays on the device again and again does not make the step shorter by "
      "about {}",
      format_duration(gain.exposed));
  out.certainty = run.inflated ? Certainty::inferred : Certainty::trace_verified;
  return out;
}

}  // namespace

Judgement judge_exposed_copy(const JudgedRun& run) {
  const PinnedCopies copies = pinned_copies(run);
  if (copies.ops.empty() && copies.of_unknown_memory > 0)
    return abstained("from which memory copies come was not recorded");
  if (copies.ops.empty()) return cleared("no copy from or to pinned memory");
  const Gains gain = gains(run, copies);
  if (run.weight(gain.exposed) < kExposedCopyLeastShare || gain.ceiling() < run.least_ns()) {
    return cleared(fmt::format(
        "{} a step from or to pinned memory: {} ({}) is not hidden behind "
        "compute",
        copied_text(run, copies), format_duration(gain.exposed), percent(run.share(gain.exposed))));
  }
  return fired(copy_finding(run, copies, gain));
}

}  // namespace stepscope::rules
