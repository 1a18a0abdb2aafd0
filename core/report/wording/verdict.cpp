// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/verdict.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/report/wording/shown_path.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

std::string rank_text(const RunFacts& run) {
  if (run.rank < 0) return "";
  if (run.world_size < 0) return fmt::format("rank {}", run.rank);
  return fmt::format("rank {} of {}", run.rank, run.world_size);
}

std::string device_text(const RunFacts& run) {
  if (run.device.empty())
    return run.device_count == 0
               ? (run.device_unseen ? "GPU used, not recorded" : "no GPU in this trace")
           : run.device_count == 1
               ? "a device that the trace does not name"
               : fmt::format("{} devices that the trace does not name", run.device_count);
  return run.device_count > 1 ? fmt::format("{} x {}", run.device_count, run.device) : run.device;
}

// Python says when and by what it was built, too.
std::string version_of(const RunFacts& run, std::string_view key) {
  for (const auto& [name, version] : run.versions) {
    if (name == key) return fmt::format("{} {}", key, version.substr(0, version.find(' ')));
  }
  return "";
}

// A job's steps are each counted once, whatever the number of its ranks.
std::string counted_text(const Summary& summary) {
  if (!summary.job) return fmt::format("{} steps counted", summary.partition.steps_counted);
  const std::uint64_t steps = summary.job->steps_counted;
  return fmt::format("{} step{} of {} ranks counted", steps, steps == 1 ? "" : "s",
                     summary.job->ranks.size());
}

std::string spread(const Summary& summary) {
  const PartitionSummary& p = summary.partition;
  const auto time = [](std::int64_t ns) { return format_duration(static_cast<double>(ns)); };
  if (p.steps_counted < 2) return "1 step counted";
  return fmt::format("p50 {}, p90 {}, {}", time(p.p50_ns), time(p.p90_ns), counted_text(summary));
}

std::string rate_text(double step_ns) {
  const double rate = 1e9 / step_ns;
  return fmt::format("{:.{}f} steps/s", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
}

std::vector<std::string> without_empty(std::vector<std::string> parts) {
  std::erase_if(parts, [](const std::string& part) { return part.empty(); });
  return parts;
}

}  // namespace

std::vector<std::string> what_ran(const RunFacts& run) {
  return without_empty(
      {shown_command(run), run.path, run.source == "unknown" ? "" : run.source + " trace"});
}

std::vector<std::string> where_it_ran(const RunFacts& run) {
  return without_empty({device_text(run), rank_text(run),
                        run.processes > 1 ? fmt::format("{} processes", run.processes) : "",
                        version_of(run, "torch"), version_of(run, "python"),
                        format_count(static_cast<double>(run.events)) + " events"});
}

VerdictLabel verdict_label(const StepScale& scale) {
  if (scale.summary.partition.steps_counted == 0) return {"NO STEPS", Tone::caution};
  if (scale.summary.run.device_unseen) return {"NOT JUDGED", Tone::caution};
  if (!scale.has_device) return {"HOST ONLY", Tone::neutral};
  switch (scale.summary.partition.bound) {
    case Bound::device:
      return {"DEVICE-BOUND", Tone::good};
    case Bound::host:
      return {"HOST-BOUND", Tone::bad};
    case Bound::mixed:
      return {"MIXED", Tone::caution};
    case Bound::not_judged:
      break;
  }
  return {"NOT JUDGED", Tone::caution};
}

std::vector<std::string> step_time_facts(const StepScale& scale) {
  const PartitionSummary& p = scale.summary.partition;
  const auto time = [](double ns) { return format_duration(ns); };
  if (p.steps_counted == 0) return {};
  if (!scale.has_steps) return {time(scale.wall_ns) + " traced, no steps found"};
  const std::string trimmed =
      scale.summary.long_steps.left_out ? ", TRIMMED of its long steps" : "";
  if (p.corrected_step_ns)
    return {time(static_cast<double>(*p.corrected_step_ns)) + " a step without the profiler,",
            time(scale.wall_ns) + " traced" + trimmed, "(" + spread(scale.summary) + ")"};
  if (p.inflated && scale.has_device)
    return {fmt::format("{} to {} a step{}", time(scale.per_step(p.device_busy_ns_total)),
                        time(scale.wall_ns), trimmed),
            scale.summary.job ? fmt::format("({})", counted_text(scale.summary))
                              : fmt::format("({} counted)", p.steps_counted)};
  return {time(scale.wall_ns) + " a step" + trimmed, "(" + spread(scale.summary) + "),",
          rate_text(scale.wall_ns)};
}

std::string step_time_text(const StepScale& scale) {
  return fmt::format("{}", fmt::join(step_time_facts(scale), " "));
}

std::string busy_machine_text(const StepScale& scale) {
  constexpr double kBusy = 0.10;
  const std::optional<Findings>& all = scale.summary.findings;
  const auto is_of_machine = [](const Finding& finding) { return finding.is_of_machine(); };
  if (all && std::any_of(all->found.begin(), all->found.end(), is_of_machine)) return "";
  const std::optional<double>& share = scale.summary.trust.core_wait_share;
  if (!share || *share < kBusy) return "";
  return fmt::format(
      "the machine was busy: this thread waited for a core {:.0f} % of the time; host.core_wait is "
      "what the step lost by it",
      100 * *share);
}

std::string rank_alone_text(const StepScale& scale) {
  constexpr double kLeastShare = 0.01;
  const RunFacts& run = scale.summary.run;
  if (scale.summary.job || run.rank < 0 || run.world_size < 2) return "";
  const auto weighs = [&](Cause cause) {
    for (const PartSum& part : scale.summary.partition.parts)
      if (part.cause == cause) return scale.share_of_wall(part.ns_total) >= kLeastShare;
    return false;
  };
  if (weighs(Cause::comm_wait))
    return "comm.wait is what the report of all ranks together calls waits and transfer: "
           "it "
           "tells the two apart, and charges waits to what the late rank does";
  if (weighs(Cause::comm_late_rank))
    return "comm.late_rank is what the report of all ranks together calls waits, and "
           "charges "
           "to what the late rank does; comm.transfer is its transfer";
  if (weighs(Cause::comm_transfer))
    return "comm.transfer holds waits for other ranks, as far as they were not recorded here: a "
           "report of all ranks together tells waits and transfer apart";
  return "";
}

// "MFU 41.7 %: 412 of 989 TFLOP/s a GPU (dense bf16)"
std::string throughput_text(const StepScale& scale) {
  const Throughput& t = *scale.summary.throughput;
  const std::string of_what = scale.has_device ? " TFLOP/s a GPU" : " TFLOP/s";
  const std::string achieved = fmt::format("{:.3g}", t.tflops_per_device);
  if (!t.utilization)
    return achieved + of_what +
           "; the peak of this device is not known: --peak-tflops gives the MFU";
  std::string text =
      fmt::format("MFU {:.1f} %: {} of {:g}{} ({})", 100 * *t.utilization, achieved, *t.peak_tflops,
                  of_what, t.peak_from == PeakFrom::table ? "dense bf16" : "peak as given");
  if (*t.utilization > 1) text += "; more than the peak: check --flops-per-step";
  const PartitionSummary& p = scale.summary.partition;
  if (p.inflated && !p.corrected_step_ns) text += "; of the traced step, which is too long";
  return text;
}

}  // namespace stepscope
