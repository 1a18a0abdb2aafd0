// SPDX-License-Identifier: Apache-2.0
// Which run the MCP server reads, how, and for how long it keeps it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/store/save.hpp"
#include "reports/json/json_documents.hpp"
#include "tests/cli/mcp/session.hpp"
#include "tests/cli/run_stepscope.hpp"
#include "tests/core/steps/loop_maker.hpp"
#include "tests/reports/sample_summaries.hpp"
#include "tests/support/recorded_job.hpp"

namespace stepscope::mcp {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Twenty steps of training, then an evaluation of twelve batches.
std::string two_loops(const Folder& folder) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) loop.train_ops("net", 3), loop.optimizer(), loop.zero_grad();
  for (int i = 0; i < 12; ++i) {
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.now += 300; });
    for (int op = 0; op < 6; ++op) loop.op("aten::eval_" + std::to_string(op % 3));
  }
  const std::string path = folder.at("two_loops.sst");
  EXPECT_TRUE(save(loop.build(), path).ok());
  return path;
}

TEST(McpTools, SectionHoldsForAllLaterAnswers) {
  const Folder folder;
  Session session({two_loops(folder)});
  const Json first = session.call("report");
  ASSERT_GE(first["sections"].size(), 2U) << first;
  EXPECT_THAT(first["sections"][0].get<std::string>(), HasSubstr("20 steps"));
  EXPECT_THAT(first["sections"][1].get<std::string>(), HasSubstr("2: no backward pass, 12 steps"));
  const Json second = session.call("report", {{"section", "2"}});
  EXPECT_LT(second["steps_counted"], 12);
  EXPECT_EQ(session.call("steps")["total"], second["steps_counted"]);
  EXPECT_THAT(session.complaint("report", {{"section", "7"}}),
              HasSubstr("--section 7: there is none"));
  EXPECT_EQ(session.call("steps")["total"], second["steps_counted"]) << "as before the mistake";
  EXPECT_EQ(session.call("report", {{"section", "1"}})["wall_ns_total"], first["wall_ns_total"]);
}

std::size_t column(const Json& table, const char* name) {
  const auto& columns = table["columns"];
  return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) -
                                  columns.begin());
}

TEST(McpTools, TheRanksOfAJobAreATable) {
  Summary job = samples::job();
  job.partition.steps_counted = job.counted.size() * job.job->ranks.size();
  job.cells = {{Cause::unknown, "", "", "", 0, std::nullopt, job.partition.wall_ns_total}};
  const Folder folder;
  const std::string path = folder.at("job.json");
  std::ofstream(path) << json_report(job);
  Session session({path});
  const Json ranks = session.call("table", {{"name", "ranks"}});
  ASSERT_THAT(ranks["rows"], SizeIs(3)) << ranks;
  EXPECT_EQ(ranks["rows"][1][column(ranks, "rank")], "rank 1");
  EXPECT_EQ(ranks["rows"][2][column(ranks, "costs_others_ns_total")],
            job.job->ranks[2].costs_ns_total);
  EXPECT_EQ(ranks["rows"][2][column(ranks, "note")], "late: host");
  EXPECT_THAT(session.call("table", {{"name", "devices"}})["rows"], SizeIs(0));
}

TEST(McpTools, ARunOfSeveralRanksIsReadAsTheJobUnlessOneIsChosen) {
  const Folder folder;
  const recorded_job::Plan plan{
      .folder = folder.at("job.scope"), .ranks = 2, .steps = 12, .kernels = 10};
  ASSERT_TRUE(recorded_job::write_job(plan).ok());
  const auto report = load_summary(plan.folder);
  ASSERT_TRUE(report.ok() && report->job);
  Session session({plan.folder});
  const Json job = session.call("report");
  EXPECT_EQ(job["wall_ns_total"], report->partition.wall_ns_total);
  EXPECT_THAT(job["ranks"].dump(), HasSubstr("rank 1"));
  EXPECT_THAT(job["findings"].dump(), HasSubstr("late_rank train.py:12"));
  const Json late = session.call("findings", {{"id", "late_rank"}});
  EXPECT_THAT(late["ranks"].get<std::string>(), HasSubstr("rank=N"));
  EXPECT_EQ(late["rows"][0]["line"], 12);
  EXPECT_EQ(session.call("table", {{"name", "phases"}})["wall_ns_total"], job["wall_ns_total"]);
  const Json alone = session.call("report", {{"rank", 0}});
  EXPECT_FALSE(alone.contains("ranks"));
  EXPECT_THAT(alone["findings"].dump(), Not(HasSubstr("late_rank")));
}

TEST(McpTools, AskWhichRunWhereSeveralAreGiven) {
  Session none;
  EXPECT_THAT(none.complaint("report", Json::object()), HasSubstr("trace: is missing"));
  Session two({kSlow, kFast});
  EXPECT_THAT(two.complaint("report", Json::object()), HasSubstr("trace: which one of"));
  EXPECT_EQ(two.call("report", {{"trace", "sync_mask_norms.fixed.json.gz"}})["trace"], kFast)
      << "the name of a given one is enough";
}

TEST(McpTools, TheReadingOfARunHoldsForLaterAnswers) {
  Session session({kSlow});
  const Json before = session.call("table", {{"name", "phases"}});
  session.call("report", {{"phase", "^norms$"}});
  const Json after = session.call("table", {{"name", "phases"}});
  EXPECT_LT(after["total"].get<int>(), before["total"].get<int>());
  EXPECT_EQ(after["wall_ns_total"], before["wall_ns_total"]);
}

TEST(McpRuns, KeepsWhatFitsAndLetsTheLeastUsedGo) {
  Session large({}, 1U << 30U);
  const auto first = large.runs().at(kSlow, {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*large.runs().at(kSlow, {})).get(), first->get()) << "loaded once";
  ASSERT_TRUE(large.runs().at(kFast, {}).ok());
  EXPECT_THAT(large.runs().kept(), SizeIs(2));
  const std::uint64_t both = large.runs().kept_bytes();
  EXPECT_GT(both, 1'000'000U);
  Session small({}, both - 1);
  ASSERT_TRUE(small.runs().at(kSlow, {}).ok());
  ASSERT_TRUE(small.runs().at(kFast, {}).ok());
  ASSERT_THAT(small.runs().kept(), SizeIs(1));
  EXPECT_EQ(small.runs().kept()[0]->name().path, kFast);
  EXPECT_LE(small.runs().kept_bytes(), both - 1);
}

TEST(McpRuns, ReadsARunAnewThatWasRecordedAnew) {
  const Folder folder;
  const std::string path = folder.at("run.json.gz");
  std::filesystem::copy_file(kSlow, path);
  Session session({path});
  const Json before = session.call("report");
  std::filesystem::copy_file(kFast, path, std::filesystem::copy_options::overwrite_existing);
  const Json after = session.call("report");
  EXPECT_LT(after["wall_ns_total"].get<std::int64_t>(),
            before["wall_ns_total"].get<std::int64_t>());
}

}  // namespace
}  // namespace stepscope::mcp
