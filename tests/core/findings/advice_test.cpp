// SPDX-License-Identifier: Apache-2.0
#include "core/findings/advice/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::rules {
namespace {

using testing::HasSubstr;
using testing::Not;

// What a reader of C++ can do nothing with.
constexpr const char* kOfPython[] = {
    "torch.",        "=True",       "=False",      "DataLoader(", "Python ",
    "torch.compile", "num_workers", "pin_memory=", "gc.",         "not loss.item()"};

void expect_no_python(std::string_view text) {
  for (const char* word : kOfPython) EXPECT_THAT(std::string(text), Not(HasSubstr(word)));
}

TEST(Advice, SpeaksTheProgramsLanguage) {
  for (std::size_t i = 0; i < kAdviceCount; ++i) {
    const auto advice = static_cast<Advice>(i);
    EXPECT_FALSE(text_of(advice, Language::python).fix.empty()) << i;
    EXPECT_FALSE(text_of(advice, Language::cpp).fix.empty()) << i;
    expect_no_python(text_of(advice, Language::cpp).fix);
    expect_no_python(text_of(advice, Language::cpp).code_hint);
    EXPECT_THAT(std::string(text_of(advice, Language::python).code_hint), Not(HasSubstr("::")));
  }
  for (const OptimizerRuns how : {OptimizerRuns::on_cpu, OptimizerRuns::on_device}) {
    expect_no_python(optimizer_advice("", how, Language::cpp).fix);
    expect_no_python(optimizer_advice("", how, Language::cpp).code_hint);
  }
}

// torch.compile(model) compiles the forward of a model, and none of its other functions.
TEST(Advice, TheFunctionOfTheLineIsCompiled) {
  const std::string hint(text_of(Advice::launch_bound_without_device, Language::python).code_hint);
  const auto compiled = [&](std::string_view function) {
    std::string out = hint;
    put_compiled_function(function, out);
    return out;
  };
  EXPECT_EQ(compiled("Block.forward"), hint);
  EXPECT_EQ(compiled("<module>"), hint);
  EXPECT_EQ(compiled("Net.score.<locals>.<lambda>"), hint);
  EXPECT_EQ(compiled(""), hint);
  EXPECT_THAT(compiled("TransE.score"), HasSubstr("TransE.score = torch.compile(TransE.score) "));
  EXPECT_THAT(compiled("mine"), HasSubstr("mine = torch.compile(mine) "));
}

// A loader without a batch size hands __getitem__ a list, for which few are written.
TEST(Advice, AWholeBatchIsAskedOfTheMethodForIt) {
  const std::string hint(text_of(Advice::input_waits_for_cores, Language::python).code_hint);
  EXPECT_THAT(hint, HasSubstr("def __getitems__(self, rows)"));
  EXPECT_THAT(hint, Not(HasSubstr("batch_size=None")));
}

}  // namespace
}  // namespace stepscope::rules
