// SPDX-License-Identifier: Apache-2.0
// The promise of diff and gate on a program that was edited between two runs: the right line in at
// least 95 of 100 cases where the runs kept the text of their sources, and sums that hold always.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/compare/comparison.hpp"
#include "core/compare/line_matching.hpp"
#include "core/compare/matched_work.hpp"
#include "tests/core/compare/random_edits.hpp"

namespace stepscope {
namespace {

constexpr std::uint32_t kTrials = 400;

struct Tally {
  double right = 0, all = 0;
  double share() const { return all > 0 ? right / all : 0; }
};

std::map<int, std::uint32_t> numbers_by_id(const Script& script) {
  std::map<int, std::uint32_t> out;
  for (std::size_t i = 0; i < script.lines.size(); ++i)
    out[script.lines[i].id] = static_cast<std::uint32_t>(i + 1);
  return out;
}

struct Trial {
  Script before, after;
  Summary a, b;

  explicit Trial(std::uint32_t seed, bool with_text) {
    RandomScripts scripts(seed);
    before = scripts.make();
    after = scripts.edited(before);
    a = scripts.recorded(before, with_text);
    b = scripts.recorded(after, with_text);
  }

  // The number that a line of one script has in the other; 0: it is not there.
  static std::uint32_t truth(const Script& from, std::uint32_t line, const Script& to) {
    const auto numbers = numbers_by_id(to);
    const auto found = numbers.find(from.lines[line - 1].id);
    return found == numbers.end() ? 0 : found->second;
  }
};

// Counts, among the lines that either side recorded, those with the right partner, or rightly none.
// A partner that the other side did not record can be known by text alone.
void count_right_lines(const Trial& trial, bool with_text, Tally& tally) {
  using compare_parts::Line;
  const compare_parts::MatchedWork work(trial.a, trial.b, {10, 1, 1});
  const auto recorded = [](const Summary& side, std::uint32_t line) {
    for (const CellRow& cell : side.cells)
      if (cell.line == line) return true;
    return false;
  };
  const auto judge = [&](const Summary& own, const Script& script, const Summary& other,
                         const Script& other_script, const auto& partner_of) {
    std::uint32_t last = 0;
    for (const CellRow& cell : own.cells) {
      if (cell.line == last) continue;
      last = cell.line;
      std::uint32_t truth = Trial::truth(script, cell.line, other_script);
      if (!with_text && !recorded(other, truth)) truth = 0;
      tally.all += 1;
      tally.right += partner_of(Line{cell.file, cell.line}) == truth ? 1 : 0;
    }
  };
  const auto& pairs = work.lines.pairs();
  judge(trial.a, trial.before, trial.b, trial.after,
        [&](const Line& line) { return pairs[work.lines.of_a(line)].b.second; });
  judge(trial.b, trial.after, trial.a, trial.before,
        [&](const Line& line) { return pairs[work.lines.of_b(line)].a.second; });
}

// What really changed in a line's operations, by its number in B, or in A where B has it no more.
std::map<std::pair<std::string, std::uint32_t>, double> true_changes(const Trial& trial) {
  std::map<std::pair<std::string, std::uint32_t>, double> out;
  for (const CountPlace& place : trial.b.counts[0].places)
    out[{place.file, place.line}] += static_cast<double>(place.total) / 10;
  for (const CountPlace& place : trial.a.counts[0].places) {
    const std::uint32_t in_b = Trial::truth(trial.before, place.line, trial.after);
    const auto at = in_b > 0 ? std::pair(trial.after.path, in_b)
                             : std::pair(trial.before.path + " before", place.line);
    out[at] -= static_cast<double>(place.total) / 10;
  }
  return out;
}

// Counts, among the calls that came or went, those that are blamed on the right line.
void count_right_blame(const Trial& trial, const Comparison& c, Tally& tally) {
  auto truth = true_changes(trial);
  for (const auto& [line, delta] : truth) tally.all += std::abs(delta);
  for (const CountLineDelta& row : c.counts[0].lines) {
    const bool in_a_alone = row.b_per_step == 0 && !truth.contains({row.file, row.line});
    const auto at = truth.find({in_a_alone ? trial.before.path + " before" : row.file, row.line});
    const auto in_a = truth.find({trial.before.path + " before", row.line});
    const bool first = at != truth.end() && std::abs(at->second - row.delta()) < 1e-6;
    const bool second =
        row.b_per_step == 0 && in_a != truth.end() && std::abs(in_a->second - row.delta()) < 1e-6;
    if (first || second) tally.right += std::abs(row.delta());
  }
}

TEST(RandomEdits, RunsThatKeptTheirTextFindTheRightLine) {
  Tally lines, blame;
  for (std::uint32_t seed = 0; seed < kTrials; ++seed) {
    const Trial trial(seed, true);
    count_right_lines(trial, true, lines);
    count_right_blame(trial, compare(trial.a, trial.b), blame);
  }
  RecordProperty("right_lines", std::to_string(lines.share()));
  RecordProperty("right_blame", std::to_string(blame.share()));
  EXPECT_GT(lines.all, 10'000);
  EXPECT_GE(lines.share(), 0.95);
  EXPECT_GE(blame.share(), 0.95);
}

TEST(RandomEdits, WithoutTextMostLinesAreFoundByTheirWork) {
  Tally lines, blame;
  for (std::uint32_t seed = 0; seed < kTrials; ++seed) {
    const Trial trial(seed, false);
    count_right_lines(trial, false, lines);
    count_right_blame(trial, compare(trial.a, trial.b), blame);
  }
  RecordProperty("right_lines", std::to_string(lines.share()));
  RecordProperty("right_blame", std::to_string(blame.share()));
  EXPECT_GE(lines.share(), 0.8);
}

TEST(RandomEdits, WhatIsBlamedOnLinesSumsToTheDifference) {
  for (std::uint32_t seed = 0; seed < kTrials; ++seed) {
    SCOPED_TRACE(seed);
    const Trial trial(seed, seed % 2 == 0);
    const Comparison c = compare(trial.a, trial.b);
    EXPECT_EQ(c.residual_ns, 0);
    EXPECT_EQ(sum_of_deltas(c.parts), c.delta_ns_total);
    EXPECT_EQ(sum_of_deltas(c.lines), c.delta_ns_total);
    ASSERT_EQ(c.counts.size(), 1U);
    double sum = 0;
    for (const CountLineDelta& line : c.counts[0].lines) sum += line.delta();
    EXPECT_NEAR(sum, c.counts[0].b_per_step - c.counts[0].a_per_step, 1e-6);
  }
}

TEST(RandomEdits, ACopyOfAScriptIsOneProgram) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomScripts scripts(seed);
    Script script = scripts.make();
    const Summary a = scripts.recorded(script, true);
    script.path = "/home/user/other_name.py";
    const Comparison c = compare(a, scripts.recorded(script, true));
    EXPECT_TRUE(c.comparable);
    EXPECT_TRUE(c.warnings.empty()) << c.warnings.front();
    for (const LineDelta& row : c.lines) EXPECT_EQ(row.a_line, row.b_line);
  }
}

}  // namespace
}  // namespace stepscope
