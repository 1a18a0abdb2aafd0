// SPDX-License-Identifier: Apache-2.0
// A small step on a CPU that also runs Python for long: fewer operations make only the way between
// them shorter, and compiling has a cost of its own. Times are in us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

constexpr int kRepeats = 8, kStepUs = 1000, kLength = 4, kWay = 10;

constexpr std::array kElementwise = {"aten::mul", "aten::add", "aten::tanh", "aten::exp",
                                     "aten::sub"};

// `first`: the name of each step's first operation.
std::string small_steps(int operations, const std::string& first = "aten::mul") {
  std::ostringstream out;
  out << "no_device\nrepeat " << kRepeats << " host=" << kStepUs << " device=" << kStepUs
      << "\nstep 0 " << kStepUs << '\n';
  for (int i = 0; i < operations; ++i) {
    const int begin = i * (kLength + kWay);
    out << "op t1 " << begin << ' ' << begin + kLength << ' '
        << (i == 0 ? first : kElementwise[static_cast<std::size_t>(i) % kElementwise.size()])
        << " at=train.py:12\n";
  }
  out << "end\nexpect found launch_bound train.py:12\n";
  return out.str();
}

TEST(Overhead, OnlyTheWayBetweenOperationsBecomesShorter) {
  constexpr int kOperations = 40;
  const Finding found = finding_of_text(small_steps(kOperations), "launch_bound");
  ASSERT_EQ(found.fixes.size(), 2U) << "the way between operations, and their own time";
  const double joined = kOperations * kLength / 2.0;
  const double between = found.caused_ns_per_step / 1000 - joined;
  const double all_of_it = kStepUs - kOperations * kLength;
  EXPECT_NEAR(found.fixes.front().factor, 1 - (0.7 - 12.0 / kOperations) * between / all_of_it,
              0.02);
}

// A compiled step takes as long on its way as some operations do: for so few the advice is a larger
// batch, which shortens no step, and no forecast says that nothing helps.
TEST(Overhead, AStepOfFewOperationsIsAdvisedALargerBatchInPlaceOfACompiler) {
  const Finding few = finding_of_text(small_steps(12), "launch_bound");
  EXPECT_TRUE(few.fixes.empty());
  EXPECT_THAT(few.fix, ::testing::HasSubstr("a larger batch"));
  EXPECT_THAT(few.fix + few.code_hint, ::testing::Not(::testing::HasSubstr("torch.compile")));
  EXPECT_THAT(few.title, ::testing::HasSubstr("so few operations"));
  const Finding many = finding_of_text(small_steps(40), "launch_bound");
  ASSERT_EQ(many.fixes.size(), 2U);
  EXPECT_LT(many.fixes.front().factor, 1);
}

TEST(Overhead, NoCompilerIsAdvisedWhereItFailsOrIsInUse) {
  const auto advice_with = [](const char* first) {
    return finding_of_text(small_steps(60, first), "launch_bound");
  };
  EXPECT_THAT(advice_with("aten::mul").code_hint, ::testing::HasSubstr("torch.compile"));
  for (const char* first : {"TanhBackwardBackward0", "CompiledFunction"}) {
    const Finding found = advice_with(first);
    EXPECT_THAT(found.fix + found.code_hint, ::testing::Not(::testing::HasSubstr("compile")))
        << first;
  }
  EXPECT_THAT(advice_with("TanhBackwardBackward0").title,
              ::testing::HasSubstr("does not support the second derivatives"));
}

// A value that is read, or a mask that chooses rows, in the midst of the model ends a compiled graph. Each
// graph's call takes as long as twelve operations.
TEST(Overhead, NoCompilerIsAdvisedWhereValuesCutTheStepIntoPieces) {
  const auto with_reads = [](int reads) {
    std::ostringstream out;
    out << "no_device\nrepeat 8 host=1000 device=1000\nstep 0 1000\n";
    for (int i = 0; i < 60; ++i) {
      out << "op t1 " << i * 14 << ' ' << i * 14 + 4 << " aten::mul at=train.py:12\n";
      if (i < reads)
        out << "op t1 " << i * 14 + 6 << ' ' << i * 14 + 8 << " aten::item at=train.py:12\n";
    }
    out << "end\nexpect found launch_bound train.py:12\n";
    return finding_of_text(out.str(), "launch_bound");
  };
  EXPECT_FALSE(with_reads(2).fixes.empty());
  const Finding many = with_reads(6);
  EXPECT_TRUE(many.fixes.empty());
  EXPECT_THAT(many.title, ::testing::HasSubstr("many short graphs"));
}

// Products are joined with nothing: such programs were up to 64 % slower when they were compiled.
// Dropout: a language model became 32 % slower when it was compiled; embeddings of 15,000 rows a third.
TEST(Overhead, NoCompilerIsAdvisedWhereItMayMakeMuchOfTheStepSlower) {
  EXPECT_FALSE(finding_of_text(small_steps(40), "launch_bound").fixes.empty());
  for (const char* slower : {"op t1 700 900 aten::bernoulli_ at=train.py:12\n",
                             "op t1 700 900 aten::embedding_dense_backward at=train.py:12\n"
                             "op t1 701 899 aten::fill_ at=train.py:12\n"}) {
    const std::string text = small_steps(40);
    const std::size_t last = text.find("end\n");
    const Finding found =
        finding_of_text(text.substr(0, last) + slower + text.substr(last), "launch_bound");
    EXPECT_TRUE(found.fixes.empty()) << slower;
    EXPECT_THAT(found.title, ::testing::HasSubstr("may make them slower"));
  }
  const std::string text = small_steps(40);
  const std::size_t last = text.find("end\n");
  EXPECT_FALSE(finding_of_text(text.substr(0, last) + "op t1 700 900 aten::fill_ at=train.py:12\n" +
                                   text.substr(last),
                               "launch_bound")
                   .fixes.empty());
}

// A loop at lines without gradients is no part of a compiled model.
TEST(Overhead, OnlyTheWayAtCompiledLinesBecomesShorter) {
  std::ostringstream text;
  text << "no_device\nrepeat 8 host=2000 device=2000\nstep 0 2000\n";
  for (int i = 0; i < 40; ++i)
    text << "op t1 " << i * 14 << ' ' << i * 14 + 4 << ' '
         << kElementwise[static_cast<std::size_t>(i) % kElementwise.size()]
         << " at=train.py:12 seq=" << i << "\nop t1 " << 600 + i * 14 << ' ' << 604 + i * 14
         << " aten::op" << i << " at=data.py:5\n";
  text << "node t1 1200 1300 MulBackward0 seq=1\n";
  text << "end\nexpect found launch_bound train.py:12\n";
  const Finding found = finding_of_text(text.str(), "launch_bound");
  ASSERT_FALSE(found.fixes.empty());
  for (const Fix& fix : found.fixes) EXPECT_EQ(fix.scope.sites.size(), 1U);
}

TEST(Overhead, NoCompilerIsAdvisedWhereMostOperationsAreProducts) {
  std::string text = small_steps(40);
  for (std::size_t at = text.find("aten::add"); at != std::string::npos;
       at = text.find("aten::add", at))
    text.replace(at, 9, "aten::mm");
  const Finding found = finding_of_text(text, "launch_bound");
  EXPECT_TRUE(found.fixes.empty());
  EXPECT_THAT(found.title, ::testing::HasSubstr("torch.compile finds few to join"));
  EXPECT_THAT(found.fix + found.code_hint, ::testing::Not(::testing::HasSubstr("compile")));
}

// A list that Python fills for 700 us before a tensor is made of it is no overhead of operations.
TEST(Overhead, ALongWayToAnOperationIsTheProgramsOwnWork) {
  std::ostringstream out;
  out << "no_device\nrepeat 8 host=2500 device=2500\nstep 0 2500\n";
  for (int i = 0; i < 60; ++i) {
    const int begin = i * 30 + (i < 30 ? 0 : 700);
    out << "op t1 " << begin << ' ' << begin + 20 << " aten::mm at=train.py:" << (i == 30 ? 14 : 12)
        << '\n';
  }
  out << "python t1 900 1600 build at=train.py:14\nend\nexpect found host_gap train.py:14\n";
  EXPECT_NEAR(finding_of_text(out.str(), "host_gap").caused_ns_per_step, 700'000, 20'000);
}

}  // namespace
}  // namespace stepscope::testing
