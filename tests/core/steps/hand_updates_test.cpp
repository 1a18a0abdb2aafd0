// SPDX-License-Identifier: Apache-2.0
#include "core/steps/hand_updates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A pass that sums gradients, and what runs behind it.
class Program {
 public:
  void pass(int gradients = 2) {
    op("aten::linear", 10), ++nodes_;
    node("AddmmBackward0");
    for (int i = 0; i < gradients; ++i) node("torch::autograd::AccumulateGrad");
  }
  void op(const std::string& name, std::uint32_t line) {
    make_.range(HostKind::op, name, 1, now_, now_ + 10, site(line));
    make_.data.host_ranges.sequence.back() = nodes_;
    lines_.push_back({now_, line});
    now_ += 10;
  }
  // The lines of the operations that are found, in order, and how many updates.
  std::vector<std::uint32_t> found() {
    op("aten::linear", 10), ++nodes_, op("aten::relu", 11);
    const Trace trace = make_.build();
    const HandUpdates updates = hand_updates_of(trace);
    count = updates.begins.at(0).size();
    std::vector<std::uint32_t> out;
    const HostRanges& h = trace.host_ranges();
    for (RangeId range = 0; range < h.size(); ++range)
      if (updates.is_part[range]) out.push_back(lines_.at(h.begin[range]));
    return out;
  }
  std::size_t count = 0;

 private:
  void node(const char* name) {
    make_.range(HostKind::backward_node, name, 1, now_, now_ + 10), now_ += 10;
  }
  SiteId site(std::uint32_t line) {
    const auto [known, is_new] = sites_.try_emplace(line, 0);
    if (is_new) known->second = make_.site("/home/me/train.py", line);
    return known->second;
  }
  struct Lines : std::map<std::int64_t, std::uint32_t> {
    void push_back(const value_type& one) { insert(one); }
  };

  TraceMaker make_;
  Lines lines_;
  std::map<std::uint32_t, SiteId> sites_;
  std::int64_t now_ = 1'000;
  std::uint32_t nodes_ = 1;
};

TEST(HandUpdates, ALineThatRunsForEachGradientIsOne) {
  Program program;
  program.pass();
  for (int parameter = 0; parameter < 2; ++parameter)
    program.op("aten::mul", 20), program.op("aten::sub_", 20), program.op("aten::zero_", 21);
  EXPECT_THAT(program.found(), ElementsAre(20, 20, 21, 20, 20, 21));
  EXPECT_EQ(program.count, 1U);
}

TEST(HandUpdates, OtherArithmeticInPlaceBehindItIsNone) {
  Program program;
  program.pass();
  for (int parameter = 0; parameter < 2; ++parameter) program.op("aten::sub_", 20);
  program.op("aten::div_", 30);  // the next batch is normalised
  for (int step = 0; step < 50; ++step) program.op("aten::add_", 40);  // an environment
  EXPECT_THAT(program.found(), ElementsAre(20, 20));
}

TEST(HandUpdates, EachParameterMayHaveALineOfItsOwn) {
  Program program;
  program.pass();
  program.op("aten::sub_", 20), program.op("aten::sub_", 21), program.op("aten::add_", 30);
  EXPECT_THAT(program.found(), ElementsAre(20, 21));
}

TEST(HandUpdates, GradientsOfSeveralPassesHaveOneUpdate) {
  Program program;
  program.pass(), program.pass(), program.pass();
  for (int parameter = 0; parameter < 2; ++parameter) program.op("aten::sub_", 20);
  EXPECT_THAT(program.found(), SizeIs(2));
  EXPECT_EQ(program.count, 1U);
}

// The points at which a physics-informed loss is taken are leaves with gradients, too.
TEST(HandUpdates, InputsMayHaveGradientsWithoutAnUpdate) {
  Program program;
  program.pass(5);
  for (int parameter = 0; parameter < 3; ++parameter) program.op("aten::sub_", 20);
  EXPECT_THAT(program.found(), ElementsAre(20, 20, 20));
  Program of_others;
  of_others.pass(5);
  for (int i = 0; i < 2; ++i) of_others.op("aten::sub_", 20);
  EXPECT_THAT(of_others.found(), IsEmpty());
}

TEST(HandUpdates, AReadIsNone) {
  Program program;
  program.pass();
  program.op("aten::item", 20);
  EXPECT_THAT(program.found(), IsEmpty());
  EXPECT_EQ(program.count, 0U);
}

}  // namespace
}  // namespace stepscope
