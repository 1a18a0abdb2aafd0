// SPDX-License-Identifier: Apache-2.0
#include "core/findings/program_terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/findings/advice/advice.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProgramTerms, NameTheDevicesOfTheRun) {
  TraceMaker intel;
  intel.call("urEnqueueKernelLaunchWithArgsExp", 1, 0, 10);
  EXPECT_EQ(device_module_of(intel.build()), "xpu");
  TraceMaker ascend;
  ascend.call("AscendCL@aclnnMm", 1, 0, 10);
  EXPECT_EQ(device_module_of(ascend.build()), "npu");
  TraceMaker nvidia;
  nvidia.call("cudaLaunchKernel", 1, 0, 10);
  EXPECT_EQ(device_module_of(nvidia.build()), "cuda");
  const std::string hint(text_of(Advice::precision, Language::python).code_hint);
  EXPECT_EQ(for_device(hint, "cuda"), hint);
  EXPECT_THAT(for_device(hint, "xpu"), HasSubstr("torch.autocast('xpu', torch.bfloat16)"));
  const std::string streams(text_of(Advice::exposed_copy, Language::python).code_hint);
  EXPECT_THAT(for_device(streams, "xpu"), Not(HasSubstr("torch.cuda.")));
}

TEST(ProgramTerms, LanguageIsThatOfTheProcess) {
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

TEST(ProgramTerms, AnExportNamesTheProgramOrNot) {
  const auto language = [](const std::string& process, const std::string& kernel) {
    TraceMaker make;
    make.data.source = SourceKind::nsys;
    make.data.processes = {{.pid = 1, .name = process}};
    make.thread(1);
    make.call("cudaLaunchKernel", 1, 10, 20, 1);
    make.kernel(kernel, 7, 30, 40, 1);
    return language_of(make.build(), 0);
  };
  EXPECT_EQ(language("heat2d", "step(float*)"), Language::cpp);
  EXPECT_EQ(language("python3.10", "step(float*)"), Language::python);
  EXPECT_EQ(language("serve", "void at::native::vectorized_elementwise_kernel<4>"),
            Language::python);
  EXPECT_EQ(language("", "step(float*)"), Language::python);
}

}  // namespace
}  // namespace stepscope::rules
