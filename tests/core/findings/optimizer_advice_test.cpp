// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/findings/advice/advice.hpp"

namespace stepscope::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(OptimizerAdvice, NamesTheProgramsOwnOptimizerAndAFormThatItHas) {
  for (const char* name : {"Adadelta", "RMSprop", "Adamax", "NAdam", "Rprop", "Adam", "SGD"}) {
    for (const bool has_device : {false, true}) {
      const OptimizerAdvice advice = optimizer_advice(
          name, has_device ? OptimizerRuns::on_device : OptimizerRuns::on_cpu, Language::python);
      const std::string all = advice.fix + advice.code_hint + advice.check;
      EXPECT_THAT(advice.fix, HasSubstr(name));
      EXPECT_THAT(all, Not(HasSubstr("AdamW")));
      const bool has_fused = std::string(name) == "Adam" || std::string(name) == "SGD";
      EXPECT_EQ(all.find("fused=True") != std::string::npos, has_fused) << name;
    }
  }
  EXPECT_THAT(optimizer_advice("Adagrad", OptimizerRuns::on_cpu, Language::python).fix,
              HasSubstr("fused=True"));
  EXPECT_THAT(optimizer_advice("Adagrad", OptimizerRuns::on_device, Language::python).fix,
              HasSubstr("foreach=True"));
  EXPECT_THAT(optimizer_advice("", OptimizerRuns::on_cpu, Language::python).fix,
              HasSubstr("torch._foreach_"));
  const OptimizerAdvice unknown =
      optimizer_advice("Lion", OptimizerRuns::on_device, Language::python);
  EXPECT_THAT(unknown.fix, Not(HasSubstr("fused=True")));
  EXPECT_THAT(unknown.code_hint, HasSubstr("def update(): optimizer.step()"));
  EXPECT_THAT(optimizer_advice("LBFGS", OptimizerRuns::on_cpu, Language::python).code_hint,
              HasSubstr("history_size=h // 2"));
}

TEST(OptimizerAdvice, OfListsIsNeverToUseLists) {
  for (const char* name : {"Adam", "RMSprop", "Adagrad", ""}) {
    const OptimizerAdvice advice =
        optimizer_advice(name, OptimizerRuns::on_device_in_lists, Language::python);
    EXPECT_THAT(advice.fix + advice.code_hint, Not(HasSubstr("foreach")));
    EXPECT_THAT(advice.fix,
                HasSubstr(std::string(name) == "Adam" ? "fused=True" : "torch.compile"));
  }
}

}  // namespace
}  // namespace stepscope::rules
