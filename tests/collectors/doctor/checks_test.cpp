// SPDX-License-Identifier: Apache-2.0
#include "collectors/doctor/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collectors/record_function/torch_library.hpp"

namespace stepscope::doctor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Facts good_facts() {
  Facts facts;
  facts.device_node = true;
  facts.driver_library = true;
  facts.cuda_version = 13000;
  facts.driver_version = "580.159.04";
  facts.counters_for_administrators_only = false;
  facts.nvml = true;
  facts.nvml_version = "580.159.04";
  facts.gpus = {{.name = "NVIDIA H100 80GB HBM3", .mig = false}};
  facts.cupti_path = "/opt/nvidia/cu13/lib/libcupti.so.13";
  facts.cupti_version = 130001;
  facts.inject_library = "/opt/stepscope/lib/libstepscope_inject.so";
  facts.python = "3.12.3";
  facts.torch_version = "2.11.0+cu130";
  facts.torch_tested = true;
  facts.invariant_tsc = true;
  facts.free_bytes = std::uint64_t{50} << 30U;
  facts.folder = ".";
  return facts;
}

std::vector<Check> examine(const Facts& facts) {
  std::vector<Check> checks;
  for (const Topic& topic : topics()) {
    if (auto check = topic.judge(facts)) checks.push_back(*std::move(check));
  }
  return checks;
}

Check check_of(const Facts& facts, const std::string& name) {
  const std::vector<Check> checks = examine(facts);
  const auto at = std::find_if(checks.begin(), checks.end(),
                               [&](const Check& check) { return check.name == name; });
  return at == checks.end() ? Check{"no such check", State::missing, "", ""} : *at;
}

TEST(DoctorChecks, AGoodMachineNeedsNothing) {
  for (const Check& check : examine(good_facts())) {
    EXPECT_EQ(check.state, State::good) << check.name << ": " << check.finding;
    EXPECT_THAT(check.remedy, IsEmpty()) << check.name;
  }
}

// The rule of the whole list: what is not good says what to do.
TEST(DoctorChecks, WhateverIsLimitedOrMissingSaysWhatToDo) {
  Facts facts = good_facts();
  facts.inject_library.clear();
  facts.driver_library = false;
  facts.cuda_version.reset();
  facts.gpus.clear();
  facts.nvml = false;
  facts.nvml_why_not = "no libnvidia-ml.so.1";
  facts.rivals = {"CUDA_INJECTION64_PATH=/opt/nsight/libToolsInjection64.so"};
  facts.counters_for_administrators_only = true;
  facts.mps = true;
  facts.python = "3.8.1";
  facts.torch_version = "2.4.0";
  facts.torch_tested = false;
  facts.free_bytes = 1000;
  for (const Check& check : examine(facts)) {
    if (check.name == "CUPTI" || check.name == "LD_PRELOAD" || check.name == "clock") continue;
    EXPECT_NE(check.state, State::good) << check.name;
    EXPECT_THAT(check.remedy, Not(IsEmpty())) << check.name;
  }
}

TEST(DoctorChecks, WithoutCuptiTheLineSaysHowToGetIt) {
  Facts facts = good_facts();
  facts.cupti_path.clear();
  facts.cupti_version = 0;
  facts.cupti_why_not = "no libcupti.so.13 or .12 was found: pip install nvidia-cuda-cupti";
  EXPECT_THAT(check_of(facts, "CUPTI").finding, HasSubstr("pip install"));
}

// Its own functions may need the driver: those of CUPTI 13.2 recurse without it.
TEST(DoctorChecks, CuptiIsNotAskedWhereTheDriverGaveNoVersion) {
  Facts facts = good_facts();
  facts.cuda_version.reset();
  facts.driver_why_not = "died: Aborted";
  EXPECT_THAT(check_of(facts, "driver").finding, HasSubstr("libcuda.so.1 died: Aborted"));
  EXPECT_THAT(check_of(facts, "CUPTI").finding, HasSubstr("not asked"));
}

TEST(DoctorChecks, ADriverWithoutAGpuIsMostlyAContainerWithoutOne) {
  Facts facts = good_facts();
  facts.device_node = false;
  facts.driver_version.clear();
  EXPECT_EQ(check_of(facts, "driver").state, State::limited);
  EXPECT_THAT(check_of(facts, "driver").remedy, HasSubstr("container"));
}

TEST(DoctorChecks, WithoutAGpuOnlyTheHostSideIsLookedAt) {
  Facts facts = good_facts();
  facts.device_node = facts.driver_library = false;
  facts.driver_version.clear();
  facts.cuda_version.reset();
  EXPECT_EQ(check_of(facts, "driver").state, State::absent);
  EXPECT_EQ(check_of(facts, "CUPTI").name, "no such check");
  EXPECT_EQ(check_of(facts, "Python").state, State::good);
}

TEST(DoctorChecks, ClocksAreSampledWhereNvmlAnswers) {
  Facts facts = good_facts();
  EXPECT_THAT(check_of(facts, "clocks").finding, HasSubstr("NVML 580.159.04"));
  facts.gpus.push_back({.name = "NVIDIA T4", .not_sampled = {"throttle_reasons", "power_mw"}});
  facts.gpus.push_back({.name = "NVIDIA T4", .not_sampled = {"power_mw"}});
  EXPECT_EQ(check_of(facts, "clocks").state, State::limited);
  EXPECT_THAT(check_of(facts, "clocks").finding, testing::EndsWith(": throttle_reasons, power_mw"));
  facts.nvml = false;
  facts.nvml_why_not = "Driver/library version mismatch";
  EXPECT_THAT(check_of(facts, "clocks").finding, HasSubstr("Driver/library version mismatch"));
  EXPECT_THAT(check_of(facts, "clocks").remedy, HasSubstr("libnvidia-ml.so.1"));
}

TEST(DoctorChecks, ACuptiNewerThanTheDriverIsNamedWithTheOneToInstall) {
  Facts facts = good_facts();
  facts.cupti_version = 130100;  // 13.1 on a driver for 13.0
  const Check check = check_of(facts, "CUPTI");
  EXPECT_EQ(check.state, State::missing);
  EXPECT_THAT(check.finding, HasSubstr("newer than the driver's CUDA 13.0"));
  EXPECT_THAT(check.remedy, HasSubstr("nvidia-cuda-cupti==13.0.*"));
  facts.cupti_version = 26;  // 12.6: older is fine
  EXPECT_EQ(check_of(facts, "CUPTI").state, State::good);
}

TEST(DoctorChecks, AnAdministratorMayReadCounters) {
  Facts facts = good_facts();
  facts.counters_for_administrators_only = true;
  EXPECT_EQ(check_of(facts, "counters").state, State::limited);
  facts.administrator = true;
  EXPECT_EQ(check_of(facts, "counters").state, State::good);
}

TEST(DoctorChecks, LittleSpaceIsAWarningAndNoneIsRefused) {
  Facts facts = good_facts();
  facts.free_bytes = std::uint64_t{500} << 20U;
  EXPECT_EQ(check_of(facts, "disk").state, State::limited);
  facts.free_bytes = std::uint64_t{31} << 20U;
  EXPECT_EQ(check_of(facts, "disk").state, State::missing);
}

// The machine of the test, whatever it has: asking never fails.
TEST(DoctorFacts, CanBeGatheredAnywhere) {
  Facts facts;
  facts.folder = "/tmp";
  for (const Topic& topic : topics()) topic.ask(facts);
  EXPECT_GT(facts.free_bytes, 0U);
  EXPECT_FALSE(examine(facts).empty());
}

TEST(TestedTorch, IsAReleaseOfAMinorVersionThatWasRun) {
  for (const char* version : {"2.4.1", "2.11.0+cu130", "2.15.0", "2.7.0a0+7c8ec84dab.nv25.03"})
    EXPECT_TRUE(is_tested_torch(version)) << version;
  for (const char* version : {"", "2.1.0", "2.16.0", "2.16.0.dev20261101+cu130", "3.0.0", "2.40.0",
                              "2.11.0.dev20261101+cpu"})
    EXPECT_FALSE(is_tested_torch(version)) << version;
}

}  // namespace
}  // namespace stepscope::doctor
