// SPDX-License-Identifier: Apache-2.0
// Findings from the outside: in a report of a real trace, and explained one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/findings/all_findings.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSyncTrace =
    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz";

TEST(ExplainVerb, HasAPageForEveryFinding) {
  const std::string list = run_stepscope("explain").out;
  for (const std::string_view id : finding_ids()) {
    EXPECT_THAT(list, HasSubstr(std::string(id)));
    const RunOutcome page = run_stepscope("explain " + std::string(id));
    EXPECT_EQ(page.status, 0) << id;
    EXPECT_THAT(page.out, testing::StartsWith("# " + std::string(id) + ": "));
    EXPECT_THAT(page.out, HasSubstr("## How it is priced")) << id;
    EXPECT_THAT(page.out, HasSubstr("## What would show that it is wrong")) << id;
  }
}

TEST(ExplainVerb, HasAPageForEveryCause) {
  const std::string list = run_stepscope("explain").out;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    const std::string id(name_of(static_cast<Cause>(i)));
    EXPECT_THAT(list, HasSubstr(id + " "));
    const RunOutcome page = run_stepscope("explain " + id);
    EXPECT_EQ(page.status, 0) << id << page.err;
    EXPECT_THAT(page.out, testing::StartsWith("# " + id + ": ")) << id;
  }
  EXPECT_THAT(
      run_stepscope("explain host.off_cpu").out,
      HasSubstr("What usually helps: the line's sleep, lock, program or socket out of the loop."));
  EXPECT_THAT(run_stepscope("explain host.off_cp").err, HasSubstr("did you mean 'host.off_cpu'"));
}

TEST(ExplainVerb, SuggestsTheNearestId) {
  const RunOutcome run = run_stepscope("explain host_snc");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'host_sync'"));
}

// The norms are read one by one and cost; the loss is read where the device has just ended.
TEST(ReportFindings, NameTheLineThatCostsAndClearTheOneThatDoesNot) {
  const RunOutcome run = run_stepscope("report " + kSyncTrace);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("What to do"));
  EXPECT_THAT(run.out, HasSubstr("host_sync  sync_mask_norms.py:96 (in largest"));
  EXPECT_THAT(run.out, HasSubstr("no cost: sync_mask_norms.py:"));
  EXPECT_THAT(run.out, HasSubstr("Cleared: input_starvation"));
}

TEST(ReportFindings, AreTheSameInAReportOfTheDocument) {
  const Folder folder;
  const std::string document = folder.at("report.json");
  ASSERT_EQ(run_stepscope("report --format json -o " + document + " " + kSyncTrace).status, 0);
  const auto section = [](const std::string& text) {
    const std::size_t begin = text.find("What to do");
    return text.substr(begin, text.find("\nPhase") - begin);
  };
  EXPECT_EQ(section(run_stepscope("report " + document).out),
            section(run_stepscope("report " + kSyncTrace).out));
}

TEST(ReportFindings, StandInEveryFormat) {
  for (const char* format : {"json", "html", "markdown"}) {
    const RunOutcome run =
        run_stepscope("report --format " + std::string(format) + " " + kSyncTrace);
    EXPECT_EQ(run.status, 0) << format;
    EXPECT_THAT(run.out, HasSubstr("host_sync")) << format;
    EXPECT_THAT(run.out, HasSubstr("largest_norms_on_host")) << format;
  }
}

}  // namespace
}  // namespace stepscope
