// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/steps/xla_ranges.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

// A program of JAX: ranges as XLA names them, around launches as it makes them.
struct JaxLoop : LoopMaker {
  void xla(const std::string& name, const std::string& facts, int kernels) {
    range(
        name + ":#" + facts + "#",
        [&] {
          for (int i = 0; i < kernels; ++i)
            range(
                "Thunk:#hlo_op=fusion." + std::to_string(i) + "#",
                [&] { kernel("fusion_" + std::to_string(i), 5'000); }, HostKind::nvtx_range);
          now += 2'000;
        },
        HostKind::nvtx_range);
  }
  void run(const std::string& module, int program, int kernels) {
    xla("XlaModule",
        "prefix=jit(f),hlo_module=" + module + ",program_id=" + std::to_string(program), kernels);
  }
  // Three passes over the module, then candidates that are tried on the device.
  void compile(const std::string& module) {
    range(
        "XlaCompile:#module=" + module + ",program_id=5#",
        [&] {
          for (const char* pass : {"step-fusion", "batch-dot", "training-step"})
            xla("XlaPass", std::string("name=") + pass + ",module=" + module, 0);
          for (int i = 0; i < 8; ++i) run(module, 5, 1);
          now += 4'000'000;
        },
        HostKind::nvtx_range);
  }
};

TEST(XlaRanges, AreToldByTheirFacts) {
  EXPECT_TRUE(is_xla_range("XlaCompile:#module=jit_train_step,program_id=5#"));
  EXPECT_TRUE(is_xla_range("Thunk:#hlo_op=fusion.1#"));
  EXPECT_FALSE(is_xla_range("XlaCompile"));
  EXPECT_FALSE(is_xla_range("step 12"));
  EXPECT_EQ(xla_executable("XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=5#"),
            "hlo_module=jit_f,program_id=5");
  EXPECT_EQ(xla_executable("XlaModule:#hlo_module=jit_f#"), "hlo_module=jit_f");
  EXPECT_EQ(xla_executable("XlaPass:#name=hlo_module=x#"), "");
  EXPECT_EQ(xla_module("hlo_module=jit_f,program_id=5"), "jit_f");
}

TEST(Executable, RunsAreStepsAndTheCompilersRangesAreNone) {
  JaxLoop loop;
  loop.compile("jit_train_step");
  for (int i = 0; i < 200; ++i) loop.run("jit_train_step", 5, 4);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::executable);
  EXPECT_EQ(steps.list.size(), 200U);
  EXPECT_THAT(steps.how, HasSubstr("200 runs of 'jit_train_step'"));
  EXPECT_GE(steps.warm_up.steps, 1U);
}

TEST(Executable, OfSeveralTheOneWithTheMostWorkIsTheStep) {
  JaxLoop loop;
  for (int i = 0; i < 20; ++i) {
    loop.run("jit_convert", 1, 1);
    loop.run("jit_gradient", 2, 6);
    loop.run("jit_update", 3, 2);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::executable);
  EXPECT_EQ(steps.list.size(), 20U);
  EXPECT_THAT(steps.how, HasSubstr("'jit_gradient'"));
}

TEST(Executable, AnEvaluationIsAStepWhereNothingElseRuns) {
  JaxLoop loop;
  for (int i = 0; i < 10; ++i) loop.run("jit_train", 1, 2);
  for (int i = 0; i < 10; ++i) loop.run("jit_eval_step", 1, 3);
  const Steps steps = found(loop);
  EXPECT_THAT(steps.how, HasSubstr("'jit_train'"));
  ASSERT_EQ(steps.sections.size(), 2U);
  EXPECT_EQ(steps.sections[1].kind, "evaluation");
  JaxLoop only;
  for (int i = 0; i < 10; ++i) only.run("jit_eval_step", 2, 9);
  EXPECT_EQ(found(only).list.size(), 10U);
}

// The first validation compiles, and tries candidates that the second does not.
TEST(Executable, AValidationBehindEachEpochIsTheLastStepsToo) {
  JaxLoop loop;
  std::int64_t end = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int i = 0; i < 20; ++i) loop.run("jit_train_step", 5, 4);
    if (epoch == 0) loop.compile("jit_validate");
    for (int i = 0; i < 6; ++i) loop.run("jit_validate", 6, 7);
    end = loop.now;
  }
  loop.now += 1'000'000;
  loop.op("aten::save", 50'000);
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 40U);
  EXPECT_NEAR(static_cast<double>(steps.list.back().host.end), static_cast<double>(end), 10'000);
}

TEST(Executable, MarksOfTheProgramComeFirst) {
  JaxLoop loop;
  for (int i = 0; i < 5; ++i) {
    loop.range("train_step " + std::to_string(i), [&] {
      for (int k = 0; k < 3; ++k) loop.run("jit_micro", 2, 3);
    });
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::nvtx_step);
  EXPECT_EQ(steps.list.size(), 5U);
}

TEST(Executable, TheUsersMarkerMayNameAnotherOne) {
  JaxLoop loop;
  for (int i = 0; i < 6; ++i) {
    loop.run("jit_gradient", 2, 6);
    loop.run("jit_update", 3, 2);
    loop.run("jit_update", 3, 2);
  }
  const Steps steps = found(loop, {.marker_regex = "hlo_module=jit_update"});
  EXPECT_EQ(steps.found_by, FoundBy::user_marker);
  EXPECT_EQ(steps.list.size(), 12U);
}

}  // namespace
}  // namespace stepscope
