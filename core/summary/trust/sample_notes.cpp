// SPDX-License-Identifier: Apache-2.0
// What the sampler saw of a loader's workers, how long the loop's thread waited for a core, and what
// could not be seen.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

constexpr double kManyTorn = 0.05;
constexpr std::uint64_t kFewLooks = 100;
constexpr std::int64_t kLongEnoughNs = 50'000'000;

std::uint64_t count_of(const Process& process, const char* fact) {
  const auto found = process.facts.find(fact);
  std::uint64_t count = 0;
  if (found == process.facts.end()) return 0;
  const std::string& text = found->second;
  (void)std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

void note_torn(const Process& process, std::vector<std::string>& notes) {
  const std::uint64_t torn = count_of(process, "host_samples.torn");
  const std::uint64_t all = torn + count_of(process, "host_samples");
  if (all < kFewLooks || static_cast<double>(torn) <= kManyTorn * static_cast<double>(all)) return;
  notes.push_back(fmt::format(
      "{} of {} looks at threads have no line: the thread ran on while it was read", torn, all));
}

}  // namespace

std::optional<double> core_wait_share(const ThreadCpu& cpu, const Steps& steps) {
  if (steps.list.empty()) return std::nullopt;
  const Interval most{steps.list[std::min<std::size_t>(1, steps.list.size() - 1)].window.begin,
                      steps.list.back().window.end};
  const Interval known = intersect(most, cpu.waits_known(steps.thread));
  if (known.length() < kLongEnoughNs) return std::nullopt;
  return static_cast<double>(cpu.waited_ns(steps.thread, known)) /
         static_cast<double>(known.length());
}

void note_samples(const Trace& trace, const Steps& steps, const LoaderWait& loader,
                  std::vector<std::string>& notes) {
  const Process& process = trace.data().processes[steps.process];
  if (loader.seen_ns > 0) {
    notes.push_back(fmt::format(
        "while the loop waited for its DataLoader, {:.1f} of {} workers made a batch",
        static_cast<double>(loader.busy_ns) / static_cast<double>(loader.seen_ns), loader.workers));
  }
  note_torn(process, notes);
  if (const auto why = process.facts.find("host_samples.workers"); why != process.facts.end())
    notes.push_back("the DataLoader's workers were not looked at: " + why->second);
}

}  // namespace stepscope::summary_parts
