// SPDX-License-Identifier: Apache-2.0
#include "core/steps/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include "core/steps/compilation.hpp"
#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

constexpr double kLeastOfLongest = 0.02;  // a shorter one is not worth a row
constexpr std::size_t kFewestOfSection = 5;
constexpr std::int64_t kTrainingCountsTimes = 2;

bool is_a_loop(const Loop& loop) {
  return loop.found() && loop.found_by != FoundBy::whole_trace && loop.steps.size() >= 2;
}

// Repeats of which one holds nearly all of the time divide nothing: layers that are made one after
// the other, and then a library that loads for seconds.
bool is_mostly_one(const Loop& loop) {
  if (loop.found_by != FoundBy::periodicity) return false;
  std::int64_t longest = 0;
  for (std::size_t step = 0; step < loop.steps.size(); ++step)
    longest = std::max(longest, loop.stretch(step).length());
  return is_at_least(kNearlyAll, longest, loop.time().length());
}

// Searches [begin, end) and, around what it finds, again.
void search_part(const Activity& activity, Interval time, std::vector<Loop>& out) {
  if (time.empty() || out.size() >= kMany) return;
  const Activity part = clipped(activity, time);
  if (part.work.size() < kFewestOfSection) return;
  Loop loop = find_loop(part);
  const bool counts = is_a_loop(loop) && loop.steps.size() >= kFewestOfSection &&
                      loop.confidence >= kGoodEnough && !loop.time().empty() &&
                      !is_mostly_one(loop);
  if (!counts) return;
  const Interval inside = loop.time();
  out.push_back(std::move(loop));
  search_part(activity, {time.begin, inside.begin}, out);
  search_part(activity, {inside.end, time.end}, out);
}

// Its later steps still compile or tune for most of their time; the first ones of any loop may.
bool is_start_up(const Loop& loop, const IntervalSet& compiles) {
  const Interval later{loop.steps[loop.steps.size() / 2].time.begin, loop.time().end};
  return 2 * total_length(clip(compiles, later)) > later.length();
}

// Returns where the first of the program's own loops that trains begins: what runs before is its
// set-up. Where none does nothing runs before it.
std::int64_t first_training(const Activity& activity, const std::vector<Loop>& loops) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const Loop& loop : loops)
    if (loop.found_by == FoundBy::loop_nest && trains(activity, loop))
      begin = std::min(begin, loop.time().begin);
  return begin == std::numeric_limits<std::int64_t>::max() ? activity.host.begin : begin;
}

void put_in_order(const Activity& activity, std::vector<Loop>& loops) {
  const IntervalSet compiles = compilation_times(*activity.trace, activity.process);
  const std::int64_t training = first_training(activity, loops);
  const auto weight = [&](const Loop& loop) {  // what is start-up never goes before others
    const std::int64_t works = loop.time().length() - total_length(clip(compiles, loop.time()));
    const bool sets_up = !trains(activity, loop) && loop.time().end <= training;
    return std::pair{!sets_up && !is_start_up(loop, compiles),
                     works * (trains(activity, loop) ? kTrainingCountsTimes : 1)};
  };
  std::stable_sort(loops.begin(), loops.end(),
                   [&](const Loop& a, const Loop& b) { return weight(b) < weight(a); });
  std::int64_t longest = 0;
  for (const Loop& loop : loops) longest = std::max(longest, loop.time().length());
  std::erase_if(loops, [longest](const Loop& loop) {
    return !is_at_least(kLeastOfLongest, loop.time().length(), longest);
  });
}

std::string kind_of_loop(const Activity& activity, const Loop& loop) {
  if (loop.found_by == FoundBy::executable) return loop.evaluates ? "evaluation" : "loop";
  if (trains(activity, loop)) return "training";
  return activity.backward.empty() ? "loop" : "no backward pass";
}

void add_closure_calls(const Activity& activity, Loop& loop) {
  Loop calls = find_closure_calls(clipped(activity, loop.time()));
  if (calls.found() && calls.steps.size() > loop.steps.size())
    loop.others.push_back(std::move(calls));
}

}  // namespace

bool trains(const Activity& activity, const Loop& loop) {
  if (loop.found_by == FoundBy::executable) return !loop.evaluates;
  return activity.backward_in(loop.time()) > 0 ||
         std::any_of(activity.annotations.begin(), activity.annotations.end(), [&](RangeId range) {
           return is_optimizer_step(activity.name(range)) &&
                  loop.time().contains(activity.time(range).begin);
         });
}

std::vector<Loop> find_section_loops(const Activity& activity, const Loop& first) {
  if (!is_a_loop(first)) return {};
  std::vector<Loop> loops{first};
  const Interval inside = first.time();
  const Interval all{activity.host.begin, activity.host.end + 1};
  search_part(activity, {all.begin, inside.begin}, loops);
  search_part(activity, {inside.end, all.end}, loops);
  put_in_order(activity, loops);
  for (Loop& loop : loops) add_closure_calls(activity, loop);
  return loops;
}

std::vector<Section> sections_of(const Activity& activity, const std::vector<Loop>& loops) {
  const auto division_of = [](const Loop& loop) -> Division {
    return {.found_by = loop.found_by,
            .steps = loop.steps.size(),
            .host = loop.time(),
            .how = loop.how,
            .recorded_ns = loop.time().length(),
            .loop = loop.loop,
            .is_around = loop.is_around,
            .steps_each = loop.steps_each,
            .own_share = loop.own_share};
  };
  std::vector<Section> out;
  for (const Loop& loop : loops) {
    out.push_back({.kind = kind_of_loop(activity, loop), .divisions = {division_of(loop)}});
    std::ranges::transform(loop.others, std::back_inserter(out.back().divisions), division_of);
  }
  return out;
}

std::string name_of(const SectionChoice& choice) {
  return choice.division == 0 ? fmt::format("{}", choice.section + 1)
                              : fmt::format("{}.{}", choice.section + 1, choice.division);
}

Result<SectionChoice> parse_section(std::string_view text) {
  std::size_t section = 0, division = 0;
  const char* const end = text.data() + text.size();
  auto [at, failed] = std::from_chars(text.data(), end, section);
  bool good = failed == std::errc{} && section > 0;
  if (good && at != end) {
    const auto rest = std::from_chars(at + 1, end, division);
    good = *at == '.' && rest.ec == std::errc{} && rest.ptr == end && division > 0;
  }
  if (good) return SectionChoice{section - 1, division};
  return usage_error(fmt::format(
      "--section: '{}' is no section; write its number, like 2, or like 1.1 for another "
      "division of it, as the report lists them under Sections",
      text));
}

}  // namespace stepscope
