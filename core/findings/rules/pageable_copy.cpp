// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/pageable_copy.hpp"

#include <fmt/format.h>

#include "core/findings/preparation.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/byte_size.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kPageableCopy = "pageable_copy";

struct PageableCopies {
  explicit PageableCopies(const Scene& scene) : price(scene) {}
  Price price;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_of_unknown_memory = 0;
  std::int64_t device_ns = 0;
  std::int64_t exposed = 0;
  std::int64_t idle = 0;
};

// A copy to the device that is large enough to count, from whichever memory.
bool is_upload(const Scene& scene, const std::vector<bool>& is_tiny_op, DeviceOpId op) {
  const DeviceOps& d = scene.trace.device_ops();
  return d.copy_kind[op] == CopyKind::host_to_device && d.bytes[op] != kUnknownBytes &&
         !is_tiny_op[op] && scene.counts(d.begin[op]);
}

// All of the process, also those of prefetching threads: the device is what they share.
void add_copies(const Scene& scene, const std::vector<bool>& is_tiny_op, PageableCopies& out) {
  const DeviceOps& d = scene.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (!is_upload(scene, is_tiny_op, op)) continue;
    if (d.source_memory[op] == MemoryKind::unknown) out.bytes_of_unknown_memory += d.bytes[op];
    if (d.source_memory[op] != MemoryKind::pageable) continue;
    ++out.count;
    out.bytes += d.bytes[op];
    out.device_ns += d.end[op] - d.begin[op];
  }
}

void add_exposed(const Scene& scene, const std::vector<bool>& is_tiny_op, PageableCopies& out) {
  for (const Segment& s : scene.segments()) {
    if (s.cause != Cause::copy_h2d_pageable || !scene.counts(s.time.begin)) continue;
    if (s.device_evidence != kNone && is_tiny_op[s.device_evidence]) continue;
    out.exposed += s.time.length();
    out.price.add(s, s.time.length());
  }
}

RunAhead add_idle(const Scene& scene, const std::vector<bool>& is_tiny_op, PageableCopies& out) {
  const std::vector<HostWait>& waits = scene.calls.waits;
  std::vector<bool> removed(waits.size());
  for (std::size_t i = 0; i < waits.size(); ++i)
    removed[i] = waits[i].kind == WaitKind::upload && !is_tiny_op[waits[i].op];
  RunAhead ahead = run_ahead(scene, waits, removed);
  for (std::size_t i = 0; i < waits.size(); ++i)
    out.price.add(waits[i].site, waits[i].phase, ahead.caused[i], {waits[i].range, kNone});
  out.idle = ahead.total;
  return ahead;
}

std::string copies_text(const Scene& scene, std::uint64_t count) {
  const double each = scene.count_per_step(count);
  return each == 1 ? "1 copy" : fmt::format("{:.3g} copies", each);
}

Finding copy_finding(const Scene& scene, const PageableCopies& copies, const RunAhead& ahead,
                     double caused) {
  Finding out = copies.price.finding(kPageableCopy, caused);
  out.count_per_step = scene.count_per_step(copies.count);
  const double bytes = scene.count_per_step(copies.bytes);
  const double rate = copies.device_ns > 0 ? static_cast<double>(copies.bytes) /
                                                 static_cast<double>(copies.device_ns)
                                           : 0;
  out.title = fmt::format(
      "{} a step from pageable memory ({} at {:.1f} GB/s): the device does nothing else for "
      "{} "
      "and idles {} behind them",
      copies_text(scene, copies.count), megabytes_text(bytes), rate,
      format_duration(scene.per_step(copies.exposed)),
      format_duration(scene.idle_per_step(copies.idle)));
  out.shows_as = shown_elsewhere(scene, ahead);
  out.fixes = {{.kind = FixKind::pin_memory,
                .scope = scope_of(copies.price.largest_sites(0.02), copies.price)}};
  out.fix =
      "copy from pinned memory without waiting: pin_memory=True in the DataLoader, or a pinned "
      "buffer that is used again, and non_blocking=True; half-precision or integers halve the "
      "bytes";
  out.code_hint =
      "loader = DataLoader(dataset, pin_memory=True)\nbatch = batch.to(device, non_blocking=True)";
  out.falsified_by = fmt::format(
      "the same copies from pinned memory with non_blocking=True do not make the step shorter by "
      "up to {}",
      format_duration(caused));
  out.certainty = scene.inflated && copies.idle > copies.exposed ? Certainty::assumption
                  : copies.idle > copies.exposed                 ? Certainty::inferred
                                                                 : Certainty::trace_verified;
  return out;
}

std::vector<bool> tiny_ops(const Scene& scene) {
  std::vector<bool> out(scene.trace.device_ops().size(), false);
  const std::vector<bool> tiny = tiny_uploads(scene);
  for (std::size_t u = 0; u < tiny.size(); ++u)
    if (tiny[u]) out[scene.calls.uploads[u].op] = true;
  return out;
}

}  // namespace

void judge_pageable_copy(Scene& scene, Findings& out) {
  PageableCopies copies(scene);
  const std::vector<bool> tiny = tiny_ops(scene);
  add_copies(scene, tiny, copies);
  if (copies.count == 0 && copies.bytes_of_unknown_memory > 0)
    return abstain(out, kPageableCopy, "from which memory copies come was not recorded");
  if (copies.count == 0)
    return clear(out, kPageableCopy, "no larger copy to the device from pageable memory");
  add_exposed(scene, tiny, copies);
  const RunAhead ahead = add_idle(scene, tiny, copies);
  const double caused = scene.per_step(copies.exposed) + scene.idle_per_step(copies.idle);
  if (caused < scene.least_ns()) {
    return clear(out, kPageableCopy,
                 fmt::format("{} a step from pageable memory cost {} ({})",
                             megabytes_text(scene.count_per_step(copies.bytes)),
                             format_duration(caused), percent(scene.share(caused))));
  }
  explain_hidden(scene, ahead);
  add_finding(scene, copy_finding(scene, copies, ahead, caused), out);
}

}  // namespace stepscope::rules
