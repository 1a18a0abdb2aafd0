// SPDX-License-Identifier: Apache-2.0
#include "core/compare/same_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope::compare_parts {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Summary sound_side() {
  return side_of_cells({{.ns = 1'000, .calls = 10}});
}

template <class Change>
Comparison with_b(Change change, const CompareOptions& options = {}) {
  const Summary a = sound_side();
  Summary b = a;
  change(b);
  Comparison out;
  judge_comparability(a, b, options, out);
  return out;
}

TEST(Comparability, TheSameWorkIsComparableWithoutAWord) {
  const Comparison c = with_b([](Summary&) {});
  EXPECT_TRUE(c.comparable);
  EXPECT_THAT(c.why_not, IsEmpty());
  EXPECT_THAT(c.warnings, IsEmpty());
}

TEST(Comparability, GraphsThatAreOneOperationOnOneSideAreAWarning) {
  const auto with_graph = [](Summary& side) { side.kernels.push_back({.name = "CUDA graph 3"}); };
  const Comparison c = with_b(with_graph);
  EXPECT_TRUE(c.comparable);
  EXPECT_THAT(c.warnings, Contains(HasSubstr("B's CUDA graphs are one operation each, A has")));
  Summary both = sound_side();
  with_graph(both);
  Comparison same;
  judge_comparability(both, both, {}, same);
  EXPECT_THAT(same.warnings, IsEmpty());
}

TEST(Comparability, AnotherDeviceModelIsNot) {
  const Comparison c = with_b([](Summary& b) { b.run.device = "NVIDIA A100"; });
  EXPECT_FALSE(c.comparable);
  EXPECT_THAT(c.why_not, Contains("A ran on NVIDIA H100 80GB HBM3, B on NVIDIA A100"));
}

TEST(Comparability, OneStepIsAWarningAndNoneIsAReason) {
  EXPECT_THAT(with_b([](Summary& b) { b.partition.steps_counted = 1; }).warnings,
              Contains(HasSubstr("B holds one counted step")));
  EXPECT_FALSE(with_b([](Summary& b) { b.partition.steps_counted = 0; }).comparable);
  EXPECT_FALSE(with_b([](Summary& b) { b.steps.found_by = FoundBy::whole_trace; }).comparable);
}

TEST(Comparability, ATrimmedReportIsNot) {
  const Comparison c = with_b([](Summary& b) {
    b.long_steps.steps = 3;
    b.long_steps.left_out = true;
  });
  EXPECT_FALSE(c.comparable);
  EXPECT_THAT(c.why_not, Contains(HasSubstr("B is a trimmed report (3 long steps left out)")));
}

Comparison with_kinds(const char* a_kind, const char* b_kind) {
  Summary a = sound_side(), b = sound_side();
  a.steps.sections.assign(1, {});
  b.steps.sections.assign(1, {});
  a.steps.sections[0].kind = a_kind;
  b.steps.sections[0].kind = b_kind;
  Comparison out;
  judge_comparability(a, b, {}, out);
  return out;
}

TEST(Comparability, ALoopOfAnotherKindIsNotUnlessItsKindIsUntold) {
  EXPECT_THAT(with_kinds("training", "evaluation").why_not,
              Contains(HasSubstr("a loop of another kind (training, section 1)")));
  EXPECT_TRUE(with_kinds("training", "training").comparable);
  EXPECT_TRUE(with_kinds("loop", "training").comparable) << "a backward pass that nobody recorded";
}

TEST(Comparability, AnotherNumberOfRanksIsNot) {
  EXPECT_THAT(with_b([](Summary& b) { b.run.world_size = 8; }).why_not,
              Contains("A ran on 1 ranks, B on 8"));
}

TEST(Comparability, AnotherBatchOnlyPerSample) {
  const auto batch = [](Summary& b) { b.run.command = "python train.py --batch 64"; };
  EXPECT_FALSE(with_b(batch).comparable);
  EXPECT_TRUE(with_b(batch, {.a_samples = 32, .b_samples = 64}).comparable);
}

TEST(Comparability, TheConnectionFileOfANotebookIsNoWarning) {
  Summary a = sound_side(), b = a;
  a.run.command = "python -m ipykernel_launcher -f /tmp/tmp1.json --data /tmp/x";
  b.run.command = "python -m ipykernel_launcher -f /home/x/kernel-2.json --data /tmp/y";
  Comparison c;
  judge_comparability(a, b, {}, c);
  EXPECT_THAT(c.warnings, testing::Not(Contains(HasSubstr("tmp1.json"))));
  EXPECT_THAT(c.warnings, Contains(HasSubstr("--data is /tmp/x in A, /tmp/y in B")));
}

TEST(Comparability, AFileOfAnyOtherProgramIsAWarning) {
  Summary a = sound_side(), b = a;
  a.run.command = "python train.py -f /tmp/a.json";
  b.run.command = "python train.py -f /tmp/b.json";
  Comparison c;
  judge_comparability(a, b, {}, c);
  EXPECT_THAT(c.warnings, Contains(HasSubstr("-f is /tmp/a.json in A, /tmp/b.json in B")));
}

TEST(Comparability, ScaledTablesSayThatTheyAre) {
  const Summary a = sound_side(), b = a;
  const Comparison c = compare(a, b, {.a_samples = 32, .b_samples = 64});
  EXPECT_THAT(c.warnings, Contains(AllOf(HasSubstr("for 32 samples"), HasSubstr("times 0.5"))));
  ASSERT_TRUE(c.samples);
  EXPECT_EQ(c.samples->per, 32);
  EXPECT_FALSE(compare(a, b).samples);
}

TEST(Comparability, OfOneCommandAloneNothingIsSaidOfTheOther) {
  const auto native = [](const char* command, const char* kernel) {
    Summary side = side_of_cells({{.line = 0, .operation = kernel, .ns = 1'000}});
    side.run.command = command;
    side.kernels = {{.name = kernel, .ns_total = 900}};
    return side;
  };
  Comparison c;
  judge_comparability(native("./train", "gemm(float*)"), native("", "radix(int*)"), {}, c);
  EXPECT_THAT(c.warnings, Contains(HasSubstr("the traces do not both name their program")));
}

Summary of_program(const char* file, const char* phase) {
  Summary side =
      side_of_cells({{.phase = phase, .ns = 1'000, .calls = 10, .file = file, .function = phase}});
  PhaseRow row;
  row.name = row.path = phase;
  row.wall_ns_total = 1'000;
  side.phases = {row};
  return side;
}

TEST(Comparability, AnotherProgramIsNot) {
  const Summary a = of_program("train.py", "forward");
  Comparison other;
  judge_comparability(a, of_program("serve.py", "request"), {}, other);
  EXPECT_THAT(other.why_not, Contains(HasSubstr("not the same program")));
  EXPECT_THAT(other.why_not, Contains(HasSubstr("lines of train.py, most of B's of serve.py")));
  Comparison renamed;
  judge_comparability(a, of_program("train_fused.py", "forward"), {}, renamed);
  EXPECT_TRUE(renamed.comparable);
  EXPECT_THAT(renamed.warnings, Contains(HasSubstr("lines of train.py")));
  Comparison moved;
  judge_comparability(a, of_program("other/train.py", "request"), {}, moved);
  EXPECT_TRUE(moved.comparable);
}

TEST(Comparability, VersionsAndClocksAreWarned) {
  const Comparison c = with_b([](Summary& b) { b.run.device_uuid = "GPU-2"; });
  EXPECT_TRUE(c.comparable);
  Summary a = sound_side();
  a.run.versions = {{"driver", "570"}};
  Summary b = sound_side();
  b.run.versions = {{"driver", "580"}};
  Comparison out;
  judge_comparability(a, b, {}, out);
  EXPECT_THAT(out.warnings, Contains("driver is 570 in A, 580 in B"));
}

// B takes 97 ms longer, 82 of them waits for a core, which hold as much of its step as of A's.
TEST(Comparability, WaitsForACoreAreToldWhereTheyMakeTheDifference) {
  const auto side = [](std::int64_t work, std::int64_t wait) {
    Summary out = side_of_cells({{.ns = work}, {.cause = Cause::host_core_wait, .ns = wait}}, 1);
    out.trust.core_wait_share = 0.5;
    return out;
  };
  const auto warnings = [](const Summary& a, const Summary& b) {
    Comparison out;
    judge_comparability(a, b, {}, out);
    return out.warnings;
  };
  EXPECT_THAT(warnings(side(13'000'000, 60'700'000), side(28'000'000, 142'600'000)),
              Contains(HasSubstr("the machine was busy in both: the loop waited for a core for "
                                 "60.7 ms of a step (82 %) in A, 143 ms (84 %) in B; "
                                 "host.core_wait holds that, all else is work: 13.0 ms a step in "
                                 "A, 28.0 ms in B")));
  EXPECT_THAT(warnings(side(13'000'000, 60'700'000), side(13'000'000, 4'000'000)),
              Contains(HasSubstr("the machine was less busy in B")));
  EXPECT_THAT(warnings(side(10'000'000, 0), side(20'000'000, 800'000)),
              Contains(HasSubstr("the machine was more busy in B")))
      << "A did not wait at all";
  EXPECT_THAT(warnings(side(80'000'000, 8'000'000), side(82'000'000, 8'500'000)),
              testing::Not(Contains(HasSubstr("the machine was"))));
}

TEST(Comparability, FactsThatNoTwoRunsShareAreNoWarning) {
  Summary a = sound_side();
  Summary b = a;
  a.run.versions = {{"started_ns", "1"}, {"parent_pid", "7"}, {"torch", "2.10.0"}};
  b.run.versions = {{"started_ns", "2"}, {"parent_pid", "8"}, {"torch", "2.11.0"}};
  Comparison out;
  judge_comparability(a, b, {}, out);
  EXPECT_THAT(out.warnings, testing::ElementsAre("torch is 2.10.0 in A, 2.11.0 in B"));
}

TEST(Comparability, BrokenSumsAndOneStretchedTraceAreReasons) {
  EXPECT_FALSE(
      with_b([](Summary& b) { b.trust.broken_invariants = {"parts do not sum"}; }).comparable);
  EXPECT_FALSE(with_b([](Summary& b) { b.partition.inflated = true; }).comparable);
}

TEST(Comparability, WhatIsDoubtedOfOneSideOfAnotherToolsTracesIsSaid) {
  Summary a = sound_side();
  a.run.source = "kineto";
  a.trust.notes = {"12 events left out"};
  Summary b = a;
  b.trust.notes = {"7 events left out", "the device's clock drifts by 2 ms"};
  Comparison out;
  judge_comparability(a, b, {}, out);
  EXPECT_THAT(out.warnings, testing::ElementsAre("of B alone: the device's clock drifts by 2 ms"));
}

}  // namespace
}  // namespace stepscope::compare_parts
