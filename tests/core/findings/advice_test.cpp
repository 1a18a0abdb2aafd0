// SPDX-License-Identifier: Apache-2.0
#include "core/findings/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/model/trace_maker.hpp"

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
  for (const bool has_device : {false, true}) {
    expect_no_python(optimizer_advice("", has_device, Language::cpp).fix);
    expect_no_python(optimizer_advice("", has_device, Language::cpp).code_hint);
  }
}

TEST(Advice, NamesTheDevicesOfTheRun) {
  TraceMaker intel;
  intel.call("urEnqueueKernelLaunchWithArgsExp", 1, 0, 10);
  EXPECT_EQ(device_module_of(intel.build()), "xpu");
  TraceMaker nvidia;
  nvidia.call("cudaLaunchKernel", 1, 0, 10);
  EXPECT_EQ(device_module_of(nvidia.build()), "cuda");
  const std::string hint(text_of(Advice::precision, Language::python).code_hint);
  EXPECT_EQ(for_device(hint, "cuda"), hint);
  EXPECT_THAT(for_device(hint, "xpu"), HasSubstr("torch.autocast('xpu', torch.bfloat16)"));
  const std::string streams(text_of(Advice::exposed_copy, Language::python).code_hint);
  EXPECT_THAT(for_device(streams, "xpu"), Not(HasSubstr("torch.cuda.")));
}

TEST(Advice, NamesTheProgramsOwnOptimizerAndAFormThatItHas) {
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
}

TEST(Language, IsThatOfTheProcess) {
  const auto language = [](SourceKind source, std::map<std::string, std::string> facts,
                           const std::string& file) {
    TraceMaker make;
    make.data.source = source;
    make.data.processes = {{.pid = 1, .facts = std::move(facts)}};
    make.thread(1);
    if (!file.empty()) make.site(file, 3);
    make.range(HostKind::op, "aten::mm", 1, 10, 20);
    return language_of(make.build(), 0);
  };
  using enum SourceKind;
  EXPECT_EQ(language(stepscope, {{"command", "./train"}}, ""), Language::cpp);
  EXPECT_EQ(language(stepscope, {{"command", "./train"}}, "train.cpp"), Language::cpp);
  EXPECT_EQ(language(stepscope, {{"command", "python a.py"}, {"python", "3.11.2"}}, "x.cpp"),
            Language::python);
  EXPECT_EQ(language(kineto, {}, ""), Language::python);
  EXPECT_EQ(language(nsys, {{"command", "bash run.sh"}}, ""), Language::python);
  EXPECT_EQ(language(nsys, {}, "train.cu"), Language::cpp);
  EXPECT_EQ(language(stepscope, {}, "train.py"), Language::python);
}

}  // namespace
}  // namespace stepscope::rules
