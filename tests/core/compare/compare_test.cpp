// SPDX-License-Identifier: Apache-2.0
// The promises of a comparison, for any two runs: parts sum to the difference, swapping the sides
// negates, a run against itself is zero, and other names are never a regression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/compare/comparison.hpp"
#include "tests/core/attribution/random_attribution.hpp"
#include "tests/core/compare/sample_sides.hpp"
#include "tests/simulator/machine.hpp"
#include "tests/simulator/recording.hpp"

namespace stepscope {
namespace {

Summary random_summary(std::uint32_t seed) {
  const RandomCase c = RandomAttribution(seed).make();
  return summarize(c.trace, c.steps, c.attribution);
}

void expect_exact(const Comparison& c) {
  EXPECT_EQ(c.residual_ns, 0);
  EXPECT_EQ(c.b.wall_ns_total - c.a.wall_ns_total, c.delta_ns_total);
  EXPECT_EQ(sum_of_deltas(c.causes), c.delta_ns_total);
  EXPECT_EQ(sum_of_deltas(c.phases), c.delta_ns_total);
  EXPECT_EQ(sum_of_deltas(c.lines), c.delta_ns_total);
  EXPECT_EQ(sum_of_deltas(c.parts), c.delta_ns_total);
}

// Parts by cause and by phase are the tables by cause and by phase.
void expect_parts_project(const Comparison& c) {
  std::map<Cause, std::int64_t> causes;
  std::map<std::string, std::int64_t> phases;
  for (const DeltaPart& part : c.parts) {
    causes[part.cause] += part.delta_ns;
    phases[part.phase] += part.delta_ns;
  }
  for (const CauseDelta& row : c.causes) EXPECT_EQ(causes[row.cause], row.delta_ns());
  for (const PhaseDelta& row : c.phases) EXPECT_EQ(phases[row.path], row.delta_ns());
}

TEST(Compare, PartsSumToTheDifferenceOfAnyTwoRuns) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Comparison c = compare(random_summary(seed), random_summary(seed + 1'000));
    if (c.steps == 0) continue;
    expect_exact(c);
    expect_parts_project(c);
  }
}

Summary simulated_summary(std::uint64_t seed) {
  const simulator::Run run = simulator::execute(simulator::random_program(seed), seed);
  const Trace trace = simulator::record(run);
  const Steps steps = simulator::true_steps(run, trace);
  return summarize(trace, steps, *attribute(trace, steps));
}

TEST(Compare, CountsBlamedOnLinesSumToTheCountedDifference) {
  std::size_t blamed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Comparison c = compare(simulated_summary(seed), simulated_summary(seed + 1'000));
    for (const CountDelta& count : c.counts) {
      double sum = 0;
      for (const CountLineDelta& line : count.lines) sum += line.delta();
      const double most = std::max(count.a_per_step, count.b_per_step);
      EXPECT_NEAR(sum, count.b_per_step - count.a_per_step, 1e-9 * most) << count.counter;
      blamed += count.lines.size();
    }
  }
  EXPECT_GT(blamed, 100U);  // the cases are worth the name
}

using PartKey = std::tuple<Cause, DeltaKind, std::int64_t>;

DeltaKind mirrored(DeltaKind kind) {
  if (kind == DeltaKind::added) return DeltaKind::removed;
  return kind == DeltaKind::removed ? DeltaKind::added : kind;
}

TEST(Compare, SwappingTheSidesNegatesEveryPart) {
  std::size_t parts = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Summary a = random_summary(seed);
    const Summary b = random_summary(seed + 1'000);
    std::multiset<PartKey> forth;
    std::multiset<PartKey> back;
    for (const DeltaPart& part : compare(a, b).parts)
      forth.insert({part.cause, part.kind, part.delta_ns});
    for (const DeltaPart& part : compare(b, a).parts)
      back.insert({part.cause, mirrored(part.kind), -part.delta_ns});
    EXPECT_EQ(forth, back);
    parts += forth.size();
  }
  EXPECT_GT(parts, 2'000U);  // the cases are worth the name
}

TEST(Compare, ARunAgainstItselfIsAllZeros) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Summary run = random_summary(seed);
    const Comparison c = compare(run, run);
    EXPECT_EQ(c.delta_ns_total, 0);
    EXPECT_THAT(c.parts, testing::IsEmpty());
    EXPECT_THAT(c.replaced, testing::IsEmpty());
    for (const CauseDelta& row : c.causes) EXPECT_EQ(row.delta_ns(), 0);
    for (const PhaseDelta& row : c.phases) EXPECT_EQ(row.delta_ns(), 0);
    for (const LineDelta& row : c.lines) EXPECT_EQ(row.delta_ns(), 0);
    for (const CountDelta& row : c.counts) EXPECT_EQ(row.a_per_step, row.b_per_step);
  }
}

TEST(Compare, OtherNamesOfTheSameKernelsAreNoDifference) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Summary a = random_summary(seed);
    Summary b = a;
    std::map<std::string, std::string> names;
    for (CellRow& cell : b.cells) {
      const std::string next = "renamed_" + std::string(1, static_cast<char>('a' + names.size()));
      if (!cell.operation.empty())
        cell.operation = names.try_emplace(cell.operation, next).first->second;
    }
    for (const DeltaPart& part : compare(a, b).parts)
      EXPECT_EQ(part.delta_ns, 0) << name_of(part.kind) << ' ' << part.op;
  }
}

TEST(Compare, AStepWithoutItsSyncIsExplainedByTheSync) {
  const Summary a = side_of_cells({{.ns = 800, .calls = 10},
                                   {.cause = Cause::host_sync_return,
                                    .phase = "loss",
                                    .line = 20,
                                    .operation = "cudaStreamSynchronize",
                                    .ns = 200,
                                    .calls = 10}});
  const Summary b = side_of_cells({{.ns = 800, .calls = 10}});
  const Comparison c = compare(a, b);
  EXPECT_TRUE(c.comparable);
  ASSERT_EQ(c.parts.size(), 1U);
  EXPECT_EQ(c.parts[0].cause, Cause::host_sync_return);
  EXPECT_EQ(c.parts[0].kind, DeltaKind::idle);
  EXPECT_EQ(c.parts[0].line, 20U);
  EXPECT_EQ(c.parts[0].delta_ns, -200);
  EXPECT_EQ(c.delta_ns_total, -200);
}

TEST(Compare, RunsOfUnequalLengthAreComparedOverTheShorter) {
  const Comparison c = compare(side_of_cells({{.ns = 1'000, .calls = 10}}, 10),
                               side_of_cells({{.ns = 4'500, .calls = 30}}, 30));
  EXPECT_EQ(c.steps, 10U);
  EXPECT_EQ(c.a.wall_ns_total, 1'000);
  EXPECT_EQ(c.b.wall_ns_total, 1'500);
  EXPECT_EQ(c.delta_ns_total, 500);
  expect_exact(c);
}

TEST(Compare, PerSampleIsOverTheSmallerBatch) {
  const CompareOptions options{.a_samples = 32, .b_samples = 64};
  const Comparison c = compare(side_of_cells({{.ns = 1'000, .calls = 10}}),
                               side_of_cells({{.ns = 1'800, .calls = 10}}), options);
  EXPECT_EQ(c.b.wall_ns_total, 900);
  EXPECT_EQ(c.delta_ns_total, -100);
  expect_exact(c);
}

TEST(Compare, ASideWithoutStepsHasNoTables) {
  const Comparison c = compare(side_of_cells({}, 0), side_of_cells({{.ns = 10, .calls = 1}}));
  EXPECT_FALSE(c.comparable);
  EXPECT_EQ(c.steps, 0U);
  EXPECT_THAT(c.parts, testing::IsEmpty());
}

}  // namespace
}  // namespace stepscope
