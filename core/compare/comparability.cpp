// SPDX-License-Identifier: Apache-2.0
#include "core/compare/same_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/compare/commands.hpp"
#include "core/compare/step_shares.hpp"
#include "core/support/duration.hpp"

namespace stepscope::compare_parts {
namespace {

constexpr double kClocksDiffer = 0.03;
constexpr std::size_t kMostNotes = 3;
constexpr double kLoadsDiffer = 0.05;  // the share of the step from which contention is a finding

class Judge {
 public:
  Judge(const Summary& a, const Summary& b, const CompareOptions& options, Comparison& out)
      : a_(a), b_(b), options_(options), out_(out) {}

  void run() {
    steps(a_, "A");
    steps(b_, "B");
    sections();
    shares();
    devices();
    ranks();
    programs();
    commands();
    samples();
    trimmed();
    versions();
    clocks();
    load();
    trust(a_, "A");
    trust(b_, "B");
    notes_of_one_side(a_, "A", b_);
    notes_of_one_side(b_, "B", a_);
    tracers();
    graphs();
    out_.comparable = out_.why_not.empty();
  }

 private:
  void against(std::string why) { out_.why_not.push_back(std::move(why)); }
  void note(std::string what) { out_.warnings.push_back(std::move(what)); }

  void steps(const Summary& side, const char* name) {
    if (side.partition.steps_counted == 0 || side.partition.wall_ns_total == 0) {
      against(fmt::format("{} has no step with a known time", name));
    } else if (side.steps.found_by == FoundBy::whole_trace) {
      against(fmt::format("{}: no steps were found, so there is no step time to compare", name));
    } else if (side.partition.steps_counted == 1) {
      note(fmt::format("{} holds one counted step: its spread is not known", name));
    }
  }

  // Documents of earlier versions know no sections. "loop" is the kind of an unknown section: an
  // optimised trainer, of whose backward pass no operation is left to see, has it too.
  void sections() {
    const auto kind_of = [](const Steps& steps) {
      return steps.chosen.section < steps.sections.size()
                 ? steps.sections[steps.chosen.section].kind
                 : std::string();
    };
    const std::string a = kind_of(a_.steps), b = kind_of(b_.steps);
    const auto is_known = [](const std::string& kind) { return !kind.empty() && kind != "loop"; };
    if (!is_known(a) || !is_known(b) || a == b) return;
    against(
        fmt::format("A's steps are those of a loop of another kind ({}, section {}) than B's ({}, "
                    "section {}); --section chooses the loop",
                    a, name_of(a_.steps.chosen), b, name_of(b_.steps.chosen)));
  }

  void shares() {
    const bool per_sample = options_.a_samples && options_.b_samples;
    const std::string why = why_steps_share_otherwise(a_.steps, b_.steps);
    if (!why.empty() && !per_sample) against(why);
  }

  void devices() {
    const std::string& a = a_.run.device;
    const std::string& b = b_.run.device;
    if (a_.run.device_unseen || b_.run.device_unseen) {
      against(fmt::format("{} used a device whose work was not recorded",
                          a_.run.device_unseen ? "A" : "B"));
    }
    if (a == b) return other_unit();
    if (a.empty() || b.empty()) {
      against(fmt::format("{} ran on {}, {} without a device", a.empty() ? "B" : "A",
                          a.empty() ? b : a, a.empty() ? "A" : "B"));
    } else {
      against(fmt::format("A ran on {}, B on {}", a, b));
    }
  }

  void other_unit() {
    const std::string& a = a_.run.device_uuid;
    const std::string& b = b_.run.device_uuid;
    if (!a.empty() && !b.empty() && a != b)
      note("the runs used two devices of one model: such devices differ by several per cent");
  }

  void ranks() {
    if (a_.job.has_value() != b_.job.has_value())
      against(fmt::format("{} is the report of a whole job, {} of one rank: make it with --rank",
                          a_.job ? "A" : "B", a_.job ? "B" : "A"));
    const auto size = [](const Summary& s) { return std::max(1, s.run.world_size); };
    if (size(a_) != size(b_))
      against(fmt::format("A ran on {} ranks, B on {}", size(a_), size(b_)));
    if (a_.run.rank != b_.run.rank && a_.run.rank >= 0 && b_.run.rank >= 0)
      note(fmt::format("A is rank {}, B rank {}", a_.run.rank, b_.run.rank));
  }

  void programs() {
    const ProgramMatch match = match_programs(a_, b_);
    const std::string names =
        match.by_command ? fmt::format("A's command runs {}, B's {}", match.a_name, match.b_name)
                         : fmt::format("most of A's time is at lines of {}, most of B's of {}",
                                       match.a_name, match.b_name);
    switch (match.by) {
      case SameBy::file:
        break;
      case SameBy::file_name:
        note(names + ", but hardly any of it is in functions that both have: two programs?");
        break;
      case SameBy::other_work:
        note(
            "the traces do not both name their program, and under half of their time is in "
            "operations that both have: two programs?");
        break;
      case SameBy::unknown:
        note(names + ": one program under two names?");
        break;
      case SameBy::nothing:
        against(
            fmt::format("{}, and they share neither {} nor phases of their own: not the same "
                        "program",
                        names, match.by_command ? "most of their work" : "functions"));
        break;
      default:
        note(names + ": the same work under another name?");
    }
  }

  // A notebook's kernel is given a file that is made for one run: "ipykernel_launcher -f FILE".
  bool is_connection_file(const OptionDifference& d) const {
    const auto is_kernel = [](const Summary& side) {
      return side.run.command.find("ipykernel") != std::string::npos;
    };
    return d.option == "-f" && is_kernel(a_) && is_kernel(b_);
  }

  void commands() {
    const bool per_sample = options_.a_samples && options_.b_samples;
    for (const OptionDifference& d : option_differences(a_.run.command, b_.run.command)) {
      if (is_connection_file(d)) continue;
      const std::string text = fmt::format("{} is {} in A, {} in B", d.option, d.a, d.b);
      if (d.size && !per_sample) {
        against(text + ": not the same work in a step (--samples A,B compares per sample)");
      } else {
        note(text);
      }
    }
  }

  // Tables that are scaled say so.
  void samples() {
    if (!options_.a_samples || !options_.b_samples) return;
    const double a = *options_.a_samples, b = *options_.b_samples, per = std::min(a, b);
    const auto side = [per](const char* name, double own) {
      return own == per ? fmt::format("{}'s are as measured", name)
                        : fmt::format("{}'s are those of its step of {:g} samples, times {:.3g}",
                                      name, own, per / own);
    };
    note(fmt::format(
        "all times of the tables are for {:g} samples: {}, {}; counts of work, and p50, "
        "are those of a step",
        per, side("A", a), side("B", b)));
  }

  // Facts that no two runs share, beside the versions that they ran with.
  static bool is_of_one_run(std::string_view name) {
    return name == "started_ns" || name == "ended_ns" || name == "parent_pid" ||
           name == "processes" || name == "recovered" || name == "folder" || name == "exit" ||
           name == "host_samples";
  }

  void trimmed() {
    for (const auto& [side, name] : {std::pair(&a_, "A"), std::pair(&b_, "B")}) {
      if (side->long_steps.left_out)
        against(
            fmt::format("{} is a trimmed report ({} long steps left out): give the trace, or a "
                        "report of all its steps",
                        name, side->long_steps.steps));
    }
  }

  void versions() {
    const std::map<std::string, std::string> of_b(b_.run.versions.begin(), b_.run.versions.end());
    for (const auto& [name, version] : a_.run.versions) {
      const auto other = of_b.find(name);
      if (other != of_b.end() && other->second != version && !is_of_one_run(name))
        note(fmt::format("{} is {} in A, {} in B", name, version, other->second));
    }
  }

  static double clock_of(const Summary& side) {
    for (const DeviceHealth& health : side.device_health)
      if (health.sm_clock_mhz) return health.sm_clock_mhz->median;
    return 0;
  }

  void clocks() {
    const double a = clock_of(a_);
    const double b = clock_of(b_);
    if (a <= 0 || b <= 0 || std::abs(b / a - 1) < kClocksDiffer) return;
    note(
        fmt::format("the device's clock was {:.0f} MHz in A, {:.0f} MHz in B ({:+.1f} %): that "
                    "alone changes times",
                    a, b, 100 * (b / a - 1)));
  }

  // The part of the step in which the loop's thread had no core. Trust::core_wait_share tells whether the
  // run's clocks were read at all.
  static std::optional<double> waiting_in(const Summary& side) {
    if (!side.trust.core_wait_share || side.partition.wall_ns_total == 0) return std::nullopt;
    double waited = 0;
    for (const PartSum& part : side.partition.parts)
      if (part.cause == Cause::host_core_wait) waited += static_cast<double>(part.ns_total);
    return waited / static_cast<double>(side.partition.wall_ns_total);
  }

  void load() {
    const auto a = waiting_in(a_), b = waiting_in(b_);
    if (!a || !b) return;
    const auto ms = [](double share, const Summary& side) {
      return format_duration(share * side.partition.wall_ns_per_step());
    };
    // On a machine as busy, a step of more work waits longer as well.
    const bool as_busy = std::abs(*b - *a) < kLoadsDiffer;
    const double step = a_.partition.wall_ns_per_step();
    const double more = *b * b_.partition.wall_ns_per_step() - *a * step;
    if (as_busy && std::abs(more) < kLoadsDiffer * step) return;
    note(fmt::format(
        "the machine was {}: the loop waited for a core for {} of a step ({:.0f} %) in A, {} "
        "({:.0f} %) in B; host.core_wait holds that, all else is work: {} a step in A, {} in B",
        as_busy && std::min(*a, *b) >= kLoadsDiffer ? "busy in both"
        : *b > *a                                   ? "more busy in B"
                                                    : "less busy in B",
        ms(*a, a_), 100 * *a, ms(*b, b_), 100 * *b, ms(1 - *a, a_), ms(1 - *b, b_)));
  }

  void trust(const Summary& side, const char* name) {
    if (!side.trust.broken_invariants.empty())
      against(fmt::format("{}: {}", name, side.trust.broken_invariants.front()));
    if (side.trust.dropped > 0) note(fmt::format("{} lost {} records", name, side.trust.dropped));
    if (side.trust.lost_chunks > 0)
      note(fmt::format(
          "{} is damaged: {} chunk{} of its recording {} missing, so its times and counts "
          "may be wrong",
          name, side.trust.lost_chunks, side.trust.lost_chunks == 1 ? "" : "s",
          side.trust.lost_chunks == 1 ? "is" : "are"));
    if (side.trust.unknown_share > 0.01)
      note(fmt::format("{:.1f} % of {}'s time is unexplained", 100 * side.trust.unknown_share,
                       name));
  }

  // Other tools' traces: what is doubted of one side alone may be all that makes the difference.
  void notes_of_one_side(const Summary& side, const char* name, const Summary& other) {
    if (side.run.source == "stepscope" || side.run.source != other.run.source) return;
    std::set<std::string> known;
    for (const std::string& told : other.trust.notes) known.insert(without_numbers(told));
    std::size_t said = 0;
    for (const std::string& told : side.trust.notes) {
      if (said == kMostNotes || !known.insert(without_numbers(told)).second) continue;
      note(fmt::format("of {} alone: {}", name, told));
      ++said;
    }
  }

  static std::string without_numbers(std::string text) {
    std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; });
    return text;
  }

  void tracers() {
    if (a_.partition.inflated && b_.partition.inflated)
      note(
          "both traces were slowed by their profiler: differences of host time are larger than "
          "true");
    if (a_.partition.inflated != b_.partition.inflated)
      against(fmt::format("{}'s host times were stretched by its profiler, the other's were not",
                          a_.partition.inflated ? "A" : "B"));
    if (a_.steps.found_by != b_.steps.found_by)
      note(fmt::format("steps are found by {} in A, by {} in B", name_of(a_.steps.found_by),
                       name_of(b_.steps.found_by)));
  }

  // Whether a side has graphs that are one operation, which the recorder and the importer of Nsight
  // Systems name so.
  static bool has_whole_graphs(const Summary& side) {
    return std::any_of(side.kernels.begin(), side.kernels.end(),
                       [](const KernelRow& row) { return row.name.starts_with("CUDA graph "); });
  }

  void graphs() {
    const bool a = has_whole_graphs(a_), b = has_whole_graphs(b_);
    if (a == b) return;
    note(
        fmt::format("{}'s CUDA graphs are one operation each, {} has none of these: kernels inside "
                    "them are not told from one another",
                    a ? "A" : "B", a ? "B" : "A"));
  }

  const Summary& a_;
  const Summary& b_;
  const CompareOptions& options_;
  Comparison& out_;
};

}  // namespace

void judge_comparability(const Summary& a, const Summary& b, const CompareOptions& options,
                         Comparison& out) {
  Judge(a, b, options, out).run();
}

}  // namespace stepscope::compare_parts
