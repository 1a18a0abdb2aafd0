// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/named_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <unordered_map>

#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 9> kStepWords = {
    "step", "steps", "iteration", "iter", "iters", "batch", "minibatch", "trainstep", "trainbatch"};
constexpr std::array<std::string_view, 39> kOtherWords = {
    "epoch",    "optimizer",  "optim", "opt",   "scheduler", "lr",         "profiler", "eval",
    "evaluate", "evaluation", "val",   "valid", "validate",  "validation", "test",     "testing",
    "micro",    "microbatch", "grad",  "zero",  "loader",    "dataloader", "next",     "backward",
    "forward",  "log",        "layer", "block", "load",      "fetch",      "prefetch", "collate",
    "copy",     "sampler",    "norm",  "end",   "start",     "hook",       "callback"};

bool is(int (&type)(int), char c) {
  return type(static_cast<unsigned char>(c)) != 0;
}

// "run_TrainBatch" -> run, train, batch
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool fresh = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is(::isalpha, name[i])) {
      fresh = true;
      continue;
    }
    if (fresh || (is(::isupper, name[i]) && is(::islower, name[i - 1]))) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    fresh = false;
  }
  return words;
}

template <class List>
bool any_of_list(const std::vector<std::string>& words, const List& list) {
  return std::any_of(words.begin(), words.end(), [&list](const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  });
}

// A mark group: ranges of one thread whose names differ in their number alone.
struct Group {
  std::string stem;
  bool step_word = false;
  MarkedThread marks;
  double inside = 0;  // share of the work
  double confidence = 0;
};

// All groups that may be steps by name alone.
std::vector<Group> group_by_stem(const Activity& activity) {
  const HostRanges& h = activity.trace->host_ranges();
  std::unordered_map<StringId, NameParts> parts_of;
  std::map<std::pair<ThreadId, std::string>, std::vector<RangeId>> groups;
  for (RangeId range : activity.annotations) {
    const auto [at, is_new] = parts_of.try_emplace(h.name[range]);
    if (is_new) at->second = split_number(activity.name(range));
    const NameParts& parts = at->second;
    if (!parts.number && !is_named_like_a_step(parts.stem)) continue;
    groups[{h.thread[range], parts.stem}].push_back(range);
  }
  std::vector<Group> out;
  for (const auto& [key, ranges] : groups) {
    const bool step_word = is_named_like_a_step(key.second);
    if (step_word || !any_of_list(words_of(key.second), kOtherWords))
      out.push_back({key.second, step_word, choose_thread(activity, ranges)});
  }
  return out;
}

// Ranges that tile the run hold its work themselves. Where they hold little of it they still mark
// the loop's rhythm (the work between belongs to the next step), but less surely.
void rate(const Activity& activity, Group& group) {
  const std::vector<RangeId>& ranges = group.marks.ranges;
  const std::vector<Interval> times = times_of(activity, ranges);
  const double spanned = activity.share_in(Interval{times.front().begin, times.back().end});
  const double inside = group.inside = activity.share_in(times);
  if (ranges.size() < 2)
    group.confidence = 0.3 * inside;
  else if (group.step_word && !divide_work(activity, steps_of(activity, ranges)))
    group.confidence = kHardlyAny;
  else if (group.step_word)
    group.confidence = spanned * (0.35 + 0.6 * inside);
  else if (ranges.size() >= kFewestRepeats && inside >= 0.5 && numbers_rise(activity, ranges))
    group.confidence = 0.85 * inside;
}

}  // namespace

NameParts split_number(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0) {
    while (end > 0 && !is(::isdigit, name[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is(::isdigit, name[begin - 1])) --begin;
    if (begin == end) break;
    const bool alone = (begin == 0 || !is(::isalpha, name[begin - 1])) &&
                       (end == name.size() || !is(::isalpha, name[end]));
    // "step12" is a number, too; letters and digits mixed further on ("f3akx7") are a hash.
    const bool trailing =
        end == name.size() && begin > 0 && is(::isalpha, name[begin - 1]) &&
        std::ranges::none_of(name.substr(0, begin), [](char c) { return is(::isdigit, c); });
    if ((alone || trailing) && end - begin <= 18) {
      NameParts parts;
      parts.stem = std::string(name.substr(0, begin)) + "#" + std::string(name.substr(end));
      parts.number = std::stoll(std::string(name.substr(begin, end - begin)));
      return parts;
    }
    end = begin;
  }
  return {std::string(name), std::nullopt};
}

bool is_named_like_a_step(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return any_of_list(words, kStepWords) && !any_of_list(words, kOtherWords);
}

Loop find_profiler_steps(const Activity& activity) {
  const std::vector<RangeId> ranges = activity.annotations_that(is_profiler_step);
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  Loop loop = loop_of(
      activity, marks, FoundBy::profiler_step,
      fmt::format("{} ProfilerStep# mark{} on {}", marks.ranges.size(),
                  marks.ranges.size() == 1 ? "" : "s", thread_text(*activity.trace, marks.thread)));
  // Work between marks counts to the next step, so what matters is what lies outside all of them.
  const double covered = activity.share_in(loop.time());
  loop.divides = divide_work(activity, loop.steps);
  loop.confidence = !loop.divides ? kHardlyAny : loop.steps.size() >= 2 ? covered : 0.4 * covered;
  return loop;
}

Loop find_named_ranges(const Activity& activity) {
  std::vector<Group> groups = group_by_stem(activity);
  for (Group& group : groups) rate(activity, group);
  const auto best = std::ranges::max_element(groups, {}, &Group::confidence);
  if (best == groups.end() || best->confidence == 0) return {};
  const MarkedThread& marks = best->marks;
  Loop loop = loop_of(
      activity, marks, FoundBy::nvtx_step,
      fmt::format("{} ranges named '{}' on {}, which hold {:.0f} % of the {}", marks.ranges.size(),
                  best->stem, thread_text(*activity.trace, marks.thread), 100 * best->inside,
                  noun_of(activity.work_kind)));
  loop.confidence = best->confidence;
  return loop;
}

}  // namespace stepscope
