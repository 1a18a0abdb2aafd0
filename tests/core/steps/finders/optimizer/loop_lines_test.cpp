// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer/loop_lines.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

// Operations at lines of one function.
class LinedLoop : public LoopMaker {
 public:
  void op_at(std::uint32_t line, const std::string& name, std::int64_t ns = 1'000) {
    range_at(line, HostKind::op, name, [&] { now += ns; });
  }
  void optimizer_at(std::uint32_t line, int ops = 2) {
    range_at(line, HostKind::user_scope, "Optimizer.step#Adam.step", [&] {
      for (int i = 0; i < ops; ++i) op("aten::_foreach_addcdiv_");
    });
  }
  // Forward, loss and backward of a model of so many layers, at lines 10 to 12.
  void train_at_lines(const std::string& model, int layers) {
    for (int i = 0; i < layers; ++i) op_at(10, "aten::linear_" + model);
    op_at(11, "aten::loss_" + model);
    for (int i = 0; i < layers; ++i) op_at(12, "autograd::engine::evaluate_function: " + model);
  }

  // Without a record; looked at in the middle.
  void sleep_at(std::uint32_t line, std::int64_t ns) {
    Samples& s = make.data.samples;
    s.time.push_back(now + ns / 2);
    s.thread.push_back(make.thread(1));
    s.site.push_back(site(line));
    s.called.push_back(0);
    s.innermost.push_back(0);
    s.cpu.push_back(static_cast<std::uint64_t>(now));
    s.flags.push_back(0);
    now += ns;
  }

 private:
  SiteId site(std::uint32_t line) {
    if (!sites_.contains(line)) sites_[line] = make.site("train.py", line);
    return sites_[line];
  }
  template <class Body>
  void range_at(std::uint32_t line, HostKind kind, const std::string& name, Body body) {
    const std::int64_t begin = now;
    body();
    make.range(kind, name, 1, begin, now, site(line));
  }

  std::map<std::uint32_t, SiteId> sites_;
};

TEST(LoopLines, ModelsThatTheSameLinesTrainInTurnsAreAStepEach) {
  LinedLoop loop;
  for (int i = 0; i < 8; ++i) {
    for (const int layers : {2, 5, 9}) {
      loop.train_at_lines(std::to_string(layers), layers);
      loop.optimizer_at(13);
    }
  }
  EXPECT_EQ(found(loop).list.size(), 24U);
}

TEST(LoopLines, ModelsThatShareABatchAreOneStep) {
  LinedLoop loop;
  for (int i = 0; i < 8; ++i) {
    loop.op_at(5, "aten::to");
    for (const int layers : {2, 5, 9}) {
      loop.train_at_lines(std::to_string(layers), layers);
      loop.optimizer_at(13);
    }
  }
  EXPECT_EQ(found(loop).list.size(), 8U);
}

TEST(LoopLines, OptimizersWithLinesOfTheirOwnAreOneStep) {
  LinedLoop loop;
  for (int i = 0; i < 8; ++i) {
    loop.train_at_lines("critic", 3), loop.optimizer_at(13);
    loop.op_at(20, "aten::linear_generator"), loop.op_at(21, "aten::loss_generator");
    loop.op_at(22, "autograd::engine::evaluate_function: generator"), loop.optimizer_at(23, 4);
  }
  EXPECT_EQ(found(loop).list.size(), 8U);
}

// Step 3 reads a loss for long behind its optimizer; the fourth is as short as the others.
TEST(LoopLines, WhatRunsAtALaterLineIsOfTheStepThatItFollows) {
  LinedLoop loop;
  for (int i = 0; i < 12; ++i) {
    loop.train_at_lines("net", 3), loop.optimizer_at(13);
    loop.op_at(14, "aten::item", i == 3 ? 90'000 : 1'000);
  }
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_GT(steps.list[3].host.length(), 90'000);
  EXPECT_LT(steps.list[4].host.length(), 30'000);
}

// The last step has what is behind its optimizer, as the others have; what follows the loop is no
// part of it.
TEST(LoopLines, BehindTheLastStepOnlyLinesOfTheLoopCount) {
  LinedLoop loop;
  std::int64_t loop_end = 0;
  for (int i = 0; i < 12; ++i) {
    loop.train_at_lines("net", 3), loop.optimizer_at(13);
    loop.op_at(14, "aten::item", 5'000);
    loop_end = loop.now;
  }
  loop.op_at(20, "aten::save", 400'000);
  EXPECT_EQ(found(loop).list.back().host.end, loop_end);
}

// No record covers the garbage collection behind every fourth step, but samples do.
TEST(LoopLines, BehindTheLastStepSamplesTellToo) {
  LinedLoop loop;
  std::int64_t loop_end = 0;
  for (int i = 0; i < 12; ++i) {
    loop.train_at_lines("net", 3), loop.optimizer_at(13);
    for (int look = 0; i % 4 == 3 && look < 10; ++look) loop.sleep_at(15, 10'000);
    loop_end = loop.now;
  }
  loop.sleep_at(20, 400'000);
  loop.op("aten::save");
  const Steps steps = found(loop);
  EXPECT_NEAR(static_cast<double>(steps.list.back().host.end), static_cast<double>(loop_end),
              10'001);
  EXPECT_LT(steps.list[3].host.length(), 50'000);  // it is in the next one, as before
}

TEST(LoopLines, WithoutLinesNothingIsSaid) {
  LoopMaker loop;
  std::int64_t end = 0;
  for (int i = 0; i < 8; ++i) {
    loop.train_ops("critic", 3), loop.optimizer("Adam", 2);
    loop.train_ops("generator", 5), loop.optimizer("Adam", 4);
    end = loop.now;
    loop.op("aten::item");
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 8U);
  EXPECT_EQ(steps.list.back().host.end, end);
}

}  // namespace
}  // namespace stepscope
