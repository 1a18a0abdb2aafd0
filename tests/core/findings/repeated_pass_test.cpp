// SPDX-License-Identifier: Apache-2.0
// A Python loop over the samples of a batch, and what looks like one. Times are in us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kPasses = 32, kOperations = 3, kRunSteps = 4;

// Returns the finding of the pass; an empty one where there is none.
Finding pass_of_text(const std::string& text) {
  for (Finding& one : findings_of_text(text, "launch_bound"))
    if (one.title.find(" times a step ") != std::string::npos) return std::move(one);
  ADD_FAILURE() << "no pass";
  return {};
}

// Each step makes 32 passes of a product, an activation and a loss, and then gradients of `weights`.
std::string passes(int weights, int length, int product = 0) {
  product = std::max(product, length);
  const int step = kPasses * (kOperations * (length + 10) + product - length) + weights * 20 + 100;
  std::ostringstream out;
  out << "no_device\nrepeat " << kRunSteps << " host=" << step << " device=" << step << "\nstep 0 "
      << step << '\n';
  int at = 0;
  const auto operation = [&](const char* name, int line, int ns) {
    out << "op t1 " << at << ' ' << at + ns << ' ' << name << " at=train.py:" << line << '\n';
    at += ns + 10;
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    operation("aten::addmm", 12, product);
    operation("aten::relu", 12, length);
    operation("aten::cross_entropy_loss", 13, length);
  }
  for (int i = 0; i < weights; ++i) operation("torch::autograd::AccumulateGrad", 15, 10);
  out << "end\nexpect found launch_bound train.py:12\n";
  return out.str();
}

Finding found_in(const std::string& text) {
  return finding_of_text(text, "launch_bound");
}

TEST(RepeatedPass, TheSameWeightsAgainAndAgainAreOnePassOverAll) {
  const Finding found = found_in(passes(2, 5));
  EXPECT_THAT(found.title, HasSubstr("32 times a step the same 3 operations"));
  EXPECT_THAT(found.fix, HasSubstr("make one pass over all of them"));
  EXPECT_THAT(found.code_hint, Not(HasSubstr("compile")));
  ASSERT_FALSE(found.fixes.empty());
  EXPECT_NEAR(found.fixes.front().factor_low, 1.0 / kPasses, 0.08);  // and the end of the step
  EXPECT_DOUBLE_EQ(found.fixes.front().factor_high, 1);  // if each needs what the one before made
}

// One product over the whole batch takes longer than one of a sample: only what it takes whatever its size
// (3 us) is saved.
TEST(RepeatedPass, OfALongOperationOnlyTheStartIsSaved) {
  int products = 0;
  for (const Fix& fix : found_in(passes(2, 5, 40)).fixes) {
    const double factor = fix.factor, least = fix.factor_low;
    EXPECT_NEAR(least, 1.0 / kPasses, 0.1);
    if (fix.scope.cause == Cause::host_compute_gemm) {
      EXPECT_NEAR(factor, 1 - 3.0 / 40 * 31 / 32, 0.03);
      ++products;
    } else {
      EXPECT_LT(factor, family_of(*fix.scope.cause) == CauseFamily::host_compute ? 0.55 : 0.25);
    }
  }
  EXPECT_EQ(products, 1);
}

TEST(RepeatedPass, LayersHaveWeightsOfTheirOwn) {
  EXPECT_THAT(found_in(passes(kPasses, 5)).title, Not(HasSubstr("times a step the same")));
}

// 8 micro-batches, each with a backward pass; with `updates`, an optimizer steps behind each. With
// `logs`, the loss is read behind each backward pass.
std::string micro_batches(bool updates, bool logs = false) {
  std::ostringstream out;
  out << "no_device\nrepeat 4 host=1000 device=1000\nstep 0 1000\n";
  for (int pass = 0; pass < 8; ++pass) {
    const int at = pass * 120;
    const auto operation = [&](const char* name, int begin, int line) {
      out << "op t1 " << at + begin << ' ' << at + begin + 5 << ' ' << name
          << " at=train.py:" << line << '\n';
    };
    operation("aten::linear", 10, 12);
    operation("aten::relu", 25, 12);
    operation("aten::cross_entropy_loss", 40, 13);
    operation("torch::autograd::AccumulateGrad", 60, 14);
    operation("torch::autograd::AccumulateGrad", 75, 14);
    if (logs) operation("aten::item", 85, 16);
    if (!updates) continue;
    out << "scope t1 " << at + 90 << ' ' << at + 110 << " Optimizer.step#SGD.step\n";
    operation("aten::add_", 95, 15);
  }
  out << "end\nexpect found launch_bound train.py:12\n";
  return out.str();
}

TEST(RepeatedPass, MicroBatchesMayBeFewerAndLarger) {
  const Finding found = found_in(micro_batches(false));
  EXPECT_THAT(found.title,
              HasSubstr("8 times a step the same 3 operations run, each with a backward"));
  EXPECT_THAT(found.fix, HasSubstr("fewer and larger micro-batches"));
  EXPECT_THAT(found.code_hint, HasSubstr("batch = 8 * micro_batch"));
  EXPECT_THAT(found_in(micro_batches(true)).title, Not(HasSubstr("times a step the same")));
  EXPECT_THAT(found_in(micro_batches(false, true)).fix, HasSubstr("fewer and larger"));
}

// The evaluations of LBFGS, and the updates of a critic: the weights have changed between two of them.
TEST(RepeatedPass, BetweenWhichTheOptimizerWorksIsNone) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=1200 device=1200\nstep 0 1200\n";
  for (int pass = 0; pass < 10; ++pass) {
    const int at = pass * 120;
    for (int i = 0; i < 3; ++i)
      text << "op t1 " << at + i * 12 << ' ' << at + i * 12 + 5 << " aten::conv2d at=train.py:12\n";
    text << "scope t1 " << at + 60 << ' ' << at + 110 << " Optimizer.step#SGD.step\nop t1 "
         << at + 70 << ' ' << at + 80 << " aten::add_ at=train.py:15\n";
  }
  text << "op t1 1190 1195 torch::autograd::AccumulateGrad at=train.py:14\n";
  text << "end\nexpect found launch_bound train.py:12\n";
  EXPECT_THAT(found_in(text.str()).title, Not(HasSubstr("times a step the same")));
}

// A mask that is written element by element.
TEST(RepeatedPass, WithoutWeightsManyAreNoLayers) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=2000 device=2000\nstep 0 2000\n";
  for (int i = 0; i < 100; ++i)
    for (const auto& [name, at] : {std::pair{"aten::select", 0}, std::pair{"aten::fill_", 10}})
      text << "op t1 " << i * 20 + at << ' ' << i * 20 + at + 2 << ' ' << name
           << " at=train.py:12\n";
  text << "end\nexpect found launch_bound train.py:12\n";
  const Finding found = found_in(text.str());
  EXPECT_THAT(found.title, HasSubstr("100 times a step the same 2 operations run:"));
  EXPECT_THAT(found.code_hint, Not(HasSubstr("torch.compile")));
}

// The same for each of eight samples, with work of its own between: no stretch takes a tenth of the step.
TEST(RepeatedPass, StretchesOfOnePassCountTogether) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=16000 device=16000\nstep 0 16000\n";
  for (int sample = 0; sample < 8; ++sample) {
    const int begin = sample * 2000;
    for (int i = 0; i < 40; ++i)
      for (const auto& [name, at] : {std::pair{"aten::select", 0}, std::pair{"aten::fill_", 10}})
        text << "op t1 " << begin + i * 20 + at << ' ' << begin + i * 20 + at + 2 << ' ' << name
             << " at=train.py:12\n";
    text << "op t1 " << begin + 900 << ' ' << begin + 1900 << " aten::flip at=train.py:14\n";
  }
  text << "end\nexpect found launch_bound train.py:12\n";
  const Finding found = found_in(text.str());
  EXPECT_THAT(found.title, HasSubstr("320 times a step the same 2 operations run:"));
  ASSERT_FALSE(found.fixes.empty());
  EXPECT_LT(found.fixes.front().factor_low, 0.2);
}

// A framework runs the loop, so that all of its operations have one line: 50 fills in a row, which take
// `fills` us, behind 60 other operations.
std::string behind_one_line(int fills) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=4000 device=4000\nstep 0 4000\n";
  for (int i = 0; i < 60; ++i)
    text << "op t1 " << i * 20 << ' ' << i * 20 + 10 << " aten::op" << i << " at=train.py:12\n";
  for (int i = 0; i < 50; ++i)
    text << "op t1 " << 1200 + i * fills / 50 << ' ' << 1200 + i * fills / 50 + 1
         << " aten::fill_ at=train.py:12\n";
  text << "op t1 3900 3990 aten::last at=train.py:12\n";
  text << "end\nexpect found launch_bound train.py:12\n";
  return text.str();
}

TEST(RepeatedPass, WhatTakesLittleOfTheStepIsNotTheReason) {
  EXPECT_THAT(found_in(behind_one_line(300)).title, Not(HasSubstr("times a step the same")));
}

TEST(RepeatedPass, WhatElseTheLineDoesStays) {
  const Finding found = pass_of_text(behind_one_line(2000));
  EXPECT_THAT(found.title, HasSubstr("50 times a step the same 1 operation runs"));
  ASSERT_FALSE(found.fixes.empty());
  EXPECT_NEAR(found.fixes.front().factor_low, 1 - 0.5 * (1 - 1.0 / 50), 0.02);
}

// A sum over the ranks between two rounds is communication's, which has its own advice.
TEST(RepeatedPass, RoundsThatCommunicateAreNone) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=4000 device=4000\nstep 0 4000\n";
  for (int i = 0; i < 50; ++i)
    text << "op t1 " << i * 60 << ' ' << i * 60 + 5 << " c10d::allreduce_ at=train.py:12\nop t1 "
         << i * 60 + 50 << ' ' << i * 60 + 52 << " aten::div_ at=train.py:13\n";
  text << "end\nexpect found launch_bound train.py:12\n";
  EXPECT_THAT(finding_of_text(text.str(), "launch_bound").title,
              Not(HasSubstr("times a step the same")));
}

// The finding stands at the loop, although more time lies between the operations of another line.
TEST(RepeatedPass, StandsWhereThePassIs) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=9000 device=9000\nstep 0 9000\n";
  for (int i = 0; i < 70; ++i)
    text << "op t1 " << i * 100 << ' ' << i * 100 + 10 << " aten::op" << i << " at=model.py:5\n";
  for (int i = 0; i < 90; ++i)
    text << "op t1 " << 7000 + i * 20 << ' ' << 7000 + i * 20 + 2
         << " aten::fill_ at=train.py:12\n";
  text << "end\nexpect found launch_bound train.py:12\n";
  const Finding found = pass_of_text(text.str());
  EXPECT_THAT(found.title, HasSubstr("90 times a step the same 1 operation runs"));
  ASSERT_FALSE(found.places.empty());
  EXPECT_EQ(found.places.front().line, 12U);
  EXPECT_THAT(found.code_hint, HasSubstr("_foreach_"));
}

// A loop over 24 samples, of which each does `operations` of its own: a random flip, or none.
std::string samples(int times, const std::string& loop, int operations = 5) {
  const int sample = operations * 15 + 25;
  std::ostringstream text;
  const int end = times * sample;
  text << "no_device\nrepeat 4 host=" << end + 200 << " device=" << end + 200 << "\nstep 0 "
       << end + 200 << '\n';
  for (int i = 0; i < times; ++i)
    for (int j = 0; j < operations; ++j)
      text << "op t1 " << i * sample + j * 15 << ' ' << i * sample + j * 15 + 3 << " aten::op"
           << (i * 7 + j * j) % 11 << " at=train.py:" << 20 + j << '\n';
  text << "op t1 " << end << ' ' << end + 100 << " aten::conv2d at=train.py:40\n" << loop;
  text << "end\nexpect found launch_bound train.py:20\n";
  return text.str();
}

TEST(RepeatedPass, ALoopOfTheProgramIsOneWhateverEachIterationDoes) {
  const Finding found = found_in(samples(24, "loop t1 0 2400 24 at=train.py:19\n"));
  EXPECT_THAT(found.title, HasSubstr("24 times a step the loop at train.py:19 runs 5 operations:"));
  EXPECT_THAT(found.code_hint, HasSubstr("torch.where"));
  ASSERT_FALSE(found.fixes.empty());
  EXPECT_NEAR(found.fixes.front().factor, 1.0 / 24, 0.1);
  EXPECT_THAT(found_in(samples(24, "")).title, Not(HasSubstr("24 times a step")));
  // Four may be anything, such as the scales of a picture.
  EXPECT_THAT(found_in(samples(4, "loop t1 0 2500 4 at=train.py:19\n", 40)).title,
              Not(HasSubstr("times a step the loop")));
}

// One step in eight scores 100 samples one by one, at a line that each step runs once, too. The loop takes
// 9,000 us of the run's 17,000; the line, 9,800.
Finding scored_in_one_step(int step_with_loop, bool noted) {
  constexpr int kShort = 1'000, kSample = 90, kSamples = 100;
  std::ostringstream text;
  text << "no_device\n";
  int at = 0;
  const auto sample = [&](int begin) {
    for (int j = 0; j < 5; ++j)
      text << "op t1 " << begin + j * 18 << ' ' << begin + j * 18 + 4 << " aten::op" << j
           << " at=train.py:20\n";
  };
  for (int step = 0; step < 8; ++step) {
    const int begin = at;
    sample(begin);
    text << "op t1 " << begin + 100 << ' ' << begin + kShort << " aten::conv2d at=train.py:40\n";
    at += kShort;
    if (step == step_with_loop) {
      if (noted)
        text << "loop t1 " << at << ' ' << at + kSamples * kSample << ' ' << kSamples
             << " at=train.py:19\n";
      for (int i = 0; i < kSamples; ++i) sample(at + i * kSample);
      at += kSamples * kSample;
    }
    text << "step " << begin << ' ' << at << '\n';
  }
  text << "expect found launch_bound train.py:20\n";
  return found_in(text.str());
}

TEST(RepeatedPass, ALoopInFewStepsThatTakesMostOfTheTimeIsOne) {
  const Finding found = scored_in_one_step(5, true);
  EXPECT_THAT(found.title,
              HasSubstr("100 times in 1 of 8 steps the loop at train.py:19 runs 5 operations"));
  ASSERT_FALSE(found.fixes.empty());
  EXPECT_NEAR(found.fixes.front().factor_low, 1 - 9'000.0 / 9'800 * 99 / 100, 0.03);
}

// The middle one of the counted steps may be the one that has them.
TEST(RepeatedPass, PassesSeenInTheOperationsAreWeighedOverAllSteps) {
  for (const int step : {1, 4}) {
    const Finding found = scored_in_one_step(step, false);
    EXPECT_THAT(found.title, HasSubstr("times in 1 of 8 steps the same 5 operations run")) << step;
    EXPECT_NEAR(found.count_per_step, 5 * 100.0 / 8, 2) << step;
    ASSERT_FALSE(found.fixes.empty());
    EXPECT_NEAR(found.fixes.front().factor_low, 1 - 9'000.0 / 9'800 * 99 / 100, 0.03) << step;
  }
}

// The outer loop has more of the time, and the inner one has more passes: what saves more is said.
TEST(RepeatedPass, OfNestedLoopsTheOneThatSavesMoreIsSaid) {
  std::ostringstream inner;
  for (int i = 0; i < 24; ++i)
    inner << "loop t1 " << i * 100 << ' ' << i * 100 + 90 << " 3 at=train.py:20 depth=1\n";
  const std::string outer = "loop t1 0 2400 24 at=train.py:19\n";
  EXPECT_THAT(found_in(samples(24, outer + inner.str())).title,
              HasSubstr("the loop at train.py:19"));
  const std::string of_two =
      "loop t1 0 2400 2 at=train.py:18\nloop t1 0 1200 12 at=train.py:19 depth=1\n"
      "loop t1 1200 2400 12 at=train.py:19 depth=1\n";
  EXPECT_THAT(found_in(samples(24, of_two)).title,
              HasSubstr("24 times a step the loop at train.py:19"));
}

// The outer loop could run over time steps, and the inner one over environments.
TEST(RepeatedPass, OfNestedLoopsTheOtherIsNamed) {
  std::string loops = "loop t1 0 8000 10 at=train.py:18\n";
  for (int i = 0; i < 10; ++i)
    loops += "loop t1 " + std::to_string(i * 800) + ' ' + std::to_string(i * 800 + 800) +
             " 8 at=train.py:19 depth=1\n";
  const Finding outer = found_in(samples(80, loops));
  EXPECT_THAT(outer.title, HasSubstr("10 times a step the loop at train.py:18"));
  EXPECT_THAT(outer.fix, HasSubstr("train.py:19 lies within it and runs 8 times in a row"));
  const std::string one = "loop t1 0 8000 80 at=train.py:19\n";
  EXPECT_THAT(found_in(samples(80, one)).fix, Not(HasSubstr("lies within")));
}

// What the pass has is said once; the rest is a finding where it is much, too.
TEST(RepeatedPass, WhatElseLiesBetweenOperationsIsAFindingOfItsOwn) {
  std::ostringstream text;
  text << "no_device\nrepeat 4 host=9000 device=9000\nstep 0 9000\n";
  for (int i = 0; i < 70; ++i)
    text << "op t1 " << i * 50 << ' ' << i * 50 + 5 << " aten::op" << i << " at=model.py:5\n";
  for (int i = 0; i < 90; ++i)
    text << "op t1 " << 4000 + i * 50 << ' ' << 4000 + i * 50 + 5
         << " aten::fill_ at=train.py:12\n";
  text << "end\nexpect found launch_bound train.py:12\n";
  const std::vector<Finding> found = findings_of_text(text.str(), "launch_bound");
  ASSERT_EQ(found.size(), 2U);
  const bool pass_first = found[0].places.front().line == 12;
  EXPECT_THAT(found[pass_first ? 0 : 1].title, HasSubstr("90 times a step the same 1 operation"));
  EXPECT_THAT(found[pass_first ? 1 : 0].title, HasSubstr("70 other operations a step"));
  EXPECT_NEAR(found[0].caused_ns_per_step + found[1].caused_ns_per_step, 7'200'000, 900'000);
}

// A search that evaluates each of its candidates became 39 % slower, compiled.
TEST(RepeatedPass, WithoutABackwardPassLayersCannotBeTold) {
  const Finding found = found_in(passes(0, 5));
  EXPECT_THAT(found.title, Not(HasSubstr("times a step the same")));
  EXPECT_TRUE(found.fixes.empty());
  EXPECT_THAT(found.code_hint, Not(HasSubstr("compile")));
}

}  // namespace
}  // namespace stepscope::testing
