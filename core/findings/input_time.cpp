// SPDX-License-Identifier: Apache-2.0
#include "core/findings/input_time.hpp"

#include <string_view>
#include <vector>

#include "core/findings/host_time.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/simulate/graph/loader_takes.hpp"

namespace stepscope::rules {
namespace {

// A line of `forward`, as each module of PyTorch calls it, "Net.forward" where the class is known.
bool is_line_of_forward(const JudgedRun& run, SiteId site) {
  if (site == kNone) return false;
  const std::string_view function = run.trace.text(run.trace.data().sites[site].function);
  return function == "forward" || function.ends_with(".forward");
}

bool waits_for_data(const JudgedRun& run, const Segment& s) {
  if (s.cause == Cause::host_data_wait) return true;
  if (s.cause != Cause::host_wait_thread || is_line_of_forward(run, s.site)) return false;
  return run.phase_name(s.phase) != "backward" && !run.optimizer_phases[s.phase];
}

// Whether a segment makes input on a run without a device: what PyTorch marks as its loader's,
// though the loop's own thread does it.
bool makes_data(const JudgedRun& run, const Segment& s) {
  return !run.has_device && is_host(s.cause) && s.cause != Cause::host_core_wait &&
         s.cause != Cause::host_data_take && run.phase_name(s.phase) == "data";
}

}  // namespace

InputTime::InputTime(const JudgedRun& run, const WorkerStarts& starts) : price(run) {
  add_waits(run, starts);
  add_made_before_uploads(run);
}

void InputTime::add(const Segment& s, std::size_t segment, std::int64_t ns) {
  price.add(s, ns);
  parts.emplace_back(segment, ns);
}

// A loader without workers makes its data in the call that asks for them.
void InputTime::add_waits(const JudgedRun& run, const WorkerStarts& starts) {
  const LoaderTakes takes(*run.attribution.index);
  const bool has_workers = loader_workers(run) > 0;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    const std::int64_t ns = run.unexplained_ns(i);
    if (ns == 0 || starts.holds(s)) continue;
    if (waits_for_data(run, s)) {
      const bool in_loader_call = s.cause == Cause::host_data_wait;
      const bool others_make = !in_loader_call || has_workers || takes.at(s.time.begin) != nullptr;
      waiting += others_make ? ns : 0;
      in_loader = in_loader || in_loader_call;
      add(s, i, ns);
    } else if (makes_data(run, s)) {
      add(s, i, ns);
    }
  }
}

void InputTime::add_made_before_uploads(const JudgedRun& run) {
  std::vector<bool> chosen = tiny_uploads(run);
  chosen.flip();
  for (const Preparing& part : preparing(run, chosen)) {
    const Segment& s = run.segments()[part.segment];
    if (waits_for_data(run, s) || s.cause == Cause::host_data_take) continue;
    add(s, part.segment, part.ns);
    if (is_line_of_forward(run, run.calls.uploads[part.upload].site)) in_forward += part.ns;
  }
}

}  // namespace stepscope::rules
