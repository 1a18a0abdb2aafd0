// SPDX-License-Identifier: Apache-2.0
// The first lines: what ran, how long a step takes, and who limits it.
#include <fmt/format.h>

#include "core/support/duration.hpp"
#include "reports/text/sections.hpp"

namespace stepscope::text_sections {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string rank_text(const RunFacts& run) {
  if (run.rank < 0) return "";
  if (run.world_size < 0) return fmt::format("rank {}", run.rank);
  return fmt::format("rank {} of {}", run.rank, run.world_size);
}

std::string device_text(const RunFacts& run) {
  if (run.device.empty())
    return run.device_count == 0
               ? (run.device_unseen ? "GPU used, not recorded" : "no GPU in this trace")
               : "";
  return run.device_count > 1 ? fmt::format("{} x {}", run.device_count, run.device) : run.device;
}

// Python says when and by what it was built, too.
std::string version_of(const RunFacts& run, std::string_view key) {
  for (const auto& [name, version] : run.versions) {
    if (name == key) return fmt::format("{} {}", key, version.substr(0, version.find(' ')));
  }
  return "";
}

struct Label {
  std::string_view text;
  Colour colour;
};

Label label_of(const Page& page) {
  if (page.summary.partition.steps_counted == 0) return {"NO STEPS", Colour::yellow};
  if (page.summary.run.device_unseen) return {"NOT JUDGED", Colour::yellow};
  if (!page.has_device) return {"HOST ONLY", Colour::blue};
  switch (page.summary.partition.bound) {
    case Bound::device:
      return {"DEVICE-BOUND", Colour::green};
    case Bound::host:
      return {"HOST-BOUND", Colour::red};
    case Bound::mixed:
      return {"MIXED", Colour::yellow};
    case Bound::not_judged:
      break;
  }
  return {"NOT JUDGED", Colour::yellow};
}

std::string spread(const PartitionSummary& p) {
  const auto time = [](std::int64_t ns) { return format_duration(static_cast<double>(ns)); };
  if (p.steps_counted < 2) return "1 step counted";
  return fmt::format("p50 {}, p90 {}, {} steps counted", time(p.p50_ns), time(p.p90_ns),
                     p.steps_counted);
}

std::string rate_text(double step_ns) {
  const double rate = 1e9 / step_ns;
  return fmt::format("{:.{}f} steps/s", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
}

std::string step_time(const Page& page) {
  const PartitionSummary& p = page.summary.partition;
  if (p.steps_counted == 0) return "";
  if (!page.has_steps)
    return fmt::format("{} traced, no steps found", format_duration(page.wall_ns));
  const std::string traced = fmt::format("{} a step", format_duration(page.wall_ns));
  if (p.corrected_step_ns) {
    return fmt::format("{} a step without the profiler, {} traced ({})",
                       format_duration(static_cast<double>(*p.corrected_step_ns)),
                       format_duration(page.wall_ns), spread(p));
  }
  if (p.inflated && page.has_device) {
    return fmt::format("{} to {} a step ({} counted)",
                       format_duration(page.per_step(p.device_busy_ns_total)),
                       format_duration(page.wall_ns), p.steps_counted);
  }
  return fmt::format("{} ({}), {}", traced, spread(p), rate_text(page.wall_ns));
}

// The headline is of the counted steps: what it leaves out stands beside it. The rate is that of
// the traced step, so it is not given where the headline is of another.
std::string outliers_text(const Page& page) {
  const PartitionSummary& p = page.summary.partition;
  const Outliers& outliers = page.summary.outliers;
  const bool traced = p.corrected_step_ns || p.inflated;
  return fmt::format(
      "{} of {} steps, {} of the loop's time, were outliers and are not in this: "
      "with them {} a step{}",
      outliers.steps, p.steps_counted + outliers.steps, format_share(outliers.share),
      format_duration(outliers.wall_ns_per_step_all),
      traced ? " as traced" : ", " + rate_text(outliers.wall_ns_per_step_all));
}

// "MFU 41.7 %: 412 of 989 TFLOP/s a GPU (dense bf16)"
std::string throughput_text(const Page& page) {
  const Throughput& t = *page.summary.throughput;
  const std::string of_what = page.has_device ? " TFLOP/s a GPU" : " TFLOP/s";
  const std::string achieved = fmt::format("{:.3g}", t.tflops_per_device);
  if (!t.utilization)
    return achieved + of_what +
           "; the peak of this device is not known: --peak-tflops gives the MFU";
  std::string text =
      fmt::format("MFU {:.1f} %: {} of {:g}{} ({})", 100 * *t.utilization, achieved, *t.peak_tflops,
                  of_what, t.peak_from == PeakFrom::table ? "dense bf16" : "peak as given");
  if (*t.utilization > 1) text += "; more than the peak: check --flops-per-step";
  const PartitionSummary& p = page.summary.partition;
  if (p.inflated && !p.corrected_step_ns) text += "; of the traced step, which is too long";
  return text;
}

}  // namespace

std::string broken(const Page& page) {
  std::string out;
  for (const std::string& sentence : page.summary.trust.broken_invariants) {
    out += wrapped("BROKEN  ", sentence, page.style, Colour::red);
  }
  if (!out.empty()) {
    out += wrapped("        ", "The numbers below contradict each other: please report this trace.",
                   page.style, Colour::red);
  }
  // What was left unexplained was not to be recorded.
  const std::string& nothing = page.summary.trust.nothing_recorded;
  if (!nothing.empty())
    return out + wrapped("NOTHING RECORDED  ", nothing, page.style, Colour::yellow);
  for (const std::string& sentence : page.summary.trust.over_budget) {
    out += wrapped("UNEXPLAINED  ", sentence, page.style, Colour::yellow);
  }
  return out;
}

std::string headline(const Page& page) {
  const RunFacts& run = page.summary.run;
  const std::string_view dot = page.style.dot();
  const std::string first =
      joined({run.path, run.source == "unknown" ? "" : run.source + " trace", run.command}, dot);
  const std::string second =
      joined({device_text(run), rank_text(run),
              run.processes > 1 ? fmt::format("{} processes", run.processes) : "",
              version_of(run, "torch"), version_of(run, "python"),
              format_count(static_cast<double>(run.events)) + " events"},
             dot);
  return page.style.paint(Colour::dim, page.style.cut_end(first, kColumns)) + "\n" +
         page.style.paint(Colour::dim, page.style.cut_end(second, kColumns)) + "\n";
}

std::string verdict(const Page& page) {
  const Label label = label_of(page);
  std::string out = page.style.paint(Colour::bold, page.style.paint(label.colour, label.text));
  const std::string time = step_time(page);
  if (!time.empty()) out += "  " + page.style.paint(Colour::bold, time);
  out += "\n";
  if (page.summary.outliers.matter())
    out += wrapped("  ", outliers_text(page), page.style, Colour::yellow);
  out += wrapped("  ", page.summary.partition.why_bound, page.style, Colour::plain);
  if (page.summary.throughput)
    out += wrapped("  ", throughput_text(page), page.style, Colour::plain);
  if (!page.summary.counting.empty()) {
    out += wrapped("  ", page.summary.counting, page.style, Colour::yellow);
  }
  return out;
}

}  // namespace stepscope::text_sections
