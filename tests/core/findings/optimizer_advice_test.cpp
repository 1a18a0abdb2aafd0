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
      const OptimizerAdvice advice = optimizer_advice(name, has_device, Language::python);
      const std::string all = advice.fix + advice.code_hint + advice.check;
      EXPECT_THAT(advice.fix, HasSubstr(name));
      EXPECT_THAT(all, Not(HasSubstr("AdamW")));
      const bool has_fused = std::string(name) == "Adam" || std::string(name) == "SGD";
      EXPECT_EQ(all.find("fused=True") != std::string::npos, has_fused) << name;
    }
  }
  EXPECT_THAT(optimizer_advice("Adagrad", false, Language::python).fix, HasSubstr("fused=True"));
  EXPECT_THAT(optimizer_advice("Adagrad", true, Language::python).fix, HasSubstr("foreach=True"));
  EXPECT_THAT(optimizer_advice("", false, Language::python).fix, HasSubstr("torch._foreach_"));
  const OptimizerAdvice unknown = optimizer_advice("Lion", true, Language::python);
  EXPECT_THAT(unknown.fix, Not(HasSubstr("fused=True")));
  EXPECT_THAT(unknown.code_hint, HasSubstr("def update(): optimizer.step()"));
  EXPECT_THAT(optimizer_advice("LBFGS", false, Language::python).code_hint,
              HasSubstr("max_iter=10"));
}

}  // namespace
}  // namespace stepscope::rules
