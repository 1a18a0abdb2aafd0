// SPDX-License-Identifier: Apache-2.0
// Findings stand in the order of what a replay says that they give, and carry its forecast.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/findings/all_findings.hpp"
#include "core/simulate/fix_reader.hpp"
#include "core/simulate/simulator.hpp"
#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

// A copy from pageable memory and a read behind which the device idles, in each of four steps.
constexpr const char* kTwoCosts =
    "repeat 4 host=2000 device=2000\n"
    "step 0 2000\n"
    "call t1 0 320 cudaMemcpyAsync id=3 at=train.py:30\n"
    "copy s7 10 310 h2d pageable device id=3 bytes=8000000\n"
    "launch t1 324 328 s7 330 1000 sm90_xmma_gemm_bf16 at=train.py:31\n"
    "call t1 330 1010 cudaMemcpyAsync id=9 at=train.py:40\n"
    "copy s7 1001 1003 d2h device pageable id=9 bytes=4\n"
    "launch t1 1200 1204 s7 1206 2000 sm90_xmma_gemm_bf16 at=train.py:41\n"
    "end\n"
    "expect found host_sync train.py:40\n";

Findings judge(const Forecaster& forecaster, const std::string& text = kTwoCosts) {
  const Result<TextCase> read = parse_case("made", text);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  const Result<Attribution> attribution = attribute(read->trace, *read->steps);
  const Summary summary = summarize(read->trace, *read->steps, *attribution);
  return find_all(read->trace, *read->steps, *attribution, summary, forecaster);
}

// What a replay might say: one kind of fix gives `gain_ns` of 2 ms, any other half of that.
Forecaster in_favour_of(FixKind kind, double gain_ns = 2e5) {
  return [kind, gain_ns](std::span<const Fix> fixes) {
    const double gain = fixes.front().kind == kind ? gain_ns : gain_ns / 2;
    const double ns = 2e6 - gain * fixes.front().expected_share;
    return Forecast{ns, ns - 1e4, ns + 1e4, ns, {}, ""};
  };
}

std::vector<std::string> order_of(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings.found)
    if (finding.id == "host_sync" || finding.id == "pageable_copy") out.push_back(finding.id);
  return out;
}

TEST(FindingForecast, OrdersFindingsByWhatTheyGive) {
  const std::vector<std::string> sync_first = {"host_sync", "pageable_copy"};
  const std::vector<std::string> copy_first = {"pageable_copy", "host_sync"};
  EXPECT_EQ(order_of(judge(in_favour_of(FixKind::remove_sync))), sync_first);
  EXPECT_EQ(order_of(judge(in_favour_of(FixKind::pin_memory))), copy_first);
}

TEST(FindingForecast, OrdersByCeilingsWithoutAReplay) {
  const Findings findings = judge({});
  EXPECT_EQ(order_of(findings), (std::vector<std::string>{"pageable_copy", "host_sync"}));
  EXPECT_FALSE(findings.no_forecast.empty());
  for (const Finding& finding : findings.found) EXPECT_FALSE(finding.forecast.has_value());
}

// Launches every 20 us behind one that takes half of the step, for a reason that nobody knows.
std::string half_unknown() {
  std::string out = "repeat 4 host=10000 device=10000\nstep 0 10000\n";
  out += "launch t1 0 5000 s7 5002 5004 vectorized_elementwise_kernel at=train.py:11\n";
  for (int at = 5020; at < 9990; at += 20)
    out += fmt::format("launch t1 {} {} s7 {} {} sm90_xmma_gemm_bf16 at=train.py:12\n", at, at + 4,
                       at + 6, at + 11);
  return out + "end\nexpect found launch_bound train.py:12\n";
}

TEST(FindingForecast, NoFixTakesAwayWhatNobodyKnows) {
  const Forecaster all_but_a_ms = [](std::span<const Fix> fixes) {
    const double ns = 1e7 - 9e6 * fixes.front().expected_share;
    return Forecast{ns, ns - 1e4, ns + 1e4, ns, {}, ""};
  };
  const Findings findings = judge(all_but_a_ms, half_unknown());
  const auto launches =
      std::find_if(findings.found.begin(), findings.found.end(),
                   [](const Finding& finding) { return finding.id == "launch_bound"; });
  ASSERT_NE(launches, findings.found.end());
  EXPECT_GT(launches->forecast->ns_per_step, 4.9e6);
  EXPECT_NE(findings.caution.find("50 % of the step has no explanation"), std::string::npos)
      << findings.caution;
}

TEST(FindingForecast, AFirstStepAloneIsSaidToHoldWhatHappensOnce) {
  const Findings findings =
      judge({},
            "step 0 1000\nlaunch t1 100 104 s7 106 1000 sm90_xmma_gemm_bf16 at=train.py:10\n"
            "expect absent host_sync yes\n");
  EXPECT_NE(findings.caution.find("what a program does once"), std::string::npos)
      << findings.caution;
}

TEST(FindingForecast, NamesTheLinesThatItWouldChange) {
  const Findings findings = judge(in_favour_of(FixKind::remove_sync));
  ASSERT_FALSE(findings.found.empty());
  ASSERT_EQ(findings.found[0].fixes.size(), 1U);
  EXPECT_EQ(findings.found[0].fixes[0].scope.sites.size(), 1U);
  EXPECT_DOUBLE_EQ(findings.found[0].gain_ns_per_step(2e6), 2e5);
}

TEST(FindingForecast, GivesNoMoreThanTheFindingCosts) {
  const Findings findings = judge(in_favour_of(FixKind::remove_sync, 1.5e6));
  ASSERT_FALSE(findings.found.empty());
  for (const Finding& finding : findings.found) {
    ASSERT_TRUE(finding.forecast.has_value()) << finding.id;
    EXPECT_LE(finding.gain_ns_per_step(2e6), finding.ceiling_ns_per_step) << finding.id;
    EXPECT_LT(finding.fixes.front().expected_share, 1) << finding.id;
  }
}

// What the finding does not explain stays in the step, also beside other fixes; it is possible.
TEST(FindingForecast, TheReplayExpectsWhatTheFindingExplains) {
  const Result<TextCase> read = parse_case("two_costs", kTwoCosts);
  ASSERT_TRUE(read.ok());
  const Result<Attribution> attribution = attribute(read->trace, *read->steps);
  const Summary summary = summarize(read->trace, *read->steps, *attribution);
  const auto simulator =
      Simulator::build(read->trace, *read->steps, *attribution, summary.counted, {});
  ASSERT_TRUE(simulator.ok()) << simulator.error().message;
  Fix pin{.kind = FixKind::pin_memory};
  const Fix wait{.kind = FixKind::remove_sync};
  const double all = simulator->anchor_ns_per_step() - simulator->expected_ns_per_step({&pin, 1});
  ASSERT_GT(all, 0);
  pin.expected_share = 0.25;
  const Forecast quarter = simulator->forecast({&pin, 1});
  EXPECT_NEAR(simulator->anchor_ns_per_step() - quarter.ns_per_step, all / 4, 1);
  EXPECT_LE(quarter.low_ns_per_step, simulator->anchor_ns_per_step() - all);
  EXPECT_LE(quarter.ceiling_ns_per_step, quarter.low_ns_per_step);
  const Fix both[] = {pin, wait};
  EXPECT_LE(simulator->expected_ns_per_step(both), simulator->expected_ns_per_step({&wait, 1}) + 1)
      << "more fixes are never worse";
}

TEST(FindingForecast, WhatGivesNothingStandsApartWithItsReason) {
  const Findings findings = judge([](std::span<const Fix>) {
    Forecast none{2e6, 2e6 - 1e4, 2e6 + 1e4, 2e6, {}, ""};
    none.busy_share = 0.96;
    return none;
  });
  EXPECT_TRUE(order_of(findings).empty());
  const auto sync = std::find_if(findings.no_gain.begin(), findings.no_gain.end(),
                                 [](const Finding& one) { return one.id == "host_sync"; });
  ASSERT_NE(sync, findings.no_gain.end());
  EXPECT_EQ(sync->severity, Severity::info);
  EXPECT_EQ(sync->no_gain,
            "the device is what the step waits for: the device works for 96 % of it");
}

// A silence holds several phases and lines: each is work of its own.
TEST(FindingForecast, WorkIsOfThePhaseAndTheLineInWhichItWasSeen) {
  const Result<TextCase> read =
      parse_case("silence",
                 "repeat 4 host=1000 device=1000\n"
                 "step 0 1000\n"
                 "launch t1 0 4 s7 6 100 sm90_gemm at=train.py:31\n"
                 "scope t1 200 900 log\n"
                 "sample t1 250 at=metrics.py:7\n"
                 "sample t1 600 at=metrics.py:9\n"
                 "launch t1 950 954 s7 956 1000 sm90_gemm at=train.py:32\n"
                 "end\n"
                 "expect steps 4\n");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Result<Attribution> attribution = attribute(read->trace, *read->steps);
  const Summary summary = summarize(read->trace, *read->steps, *attribution);
  const auto simulator =
      Simulator::build(read->trace, *read->steps, *attribution, summary.counted, {});
  ASSERT_TRUE(simulator.ok()) << simulator.error().message;
  const auto step_without = [&](const char* text) {
    const Result<Fix> fix = parse_fix(text, read->trace, *attribution);
    EXPECT_TRUE(fix.ok()) << text;
    return fix.ok() ? simulator->expected_ns_per_step({&*fix, 1}) : 0;
  };
  EXPECT_NEAR(step_without("drop_work@phase=log"), 300'000, 5'000);
  EXPECT_NEAR(step_without("drop_work@metrics.py:9"), 650'000, 5'000)
      << "a sample holds until the silence ends";
}

}  // namespace
}  // namespace stepscope::testing
