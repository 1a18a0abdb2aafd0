// SPDX-License-Identifier: Apache-2.0
// Ranks of one job that were recorded into a file each, as torch.profiler writes them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

constexpr int kSteps = 30;
constexpr double kStep_us = 14'000;

struct Rank {
  int rank = 0;
  int world = 2;
  double late_us = 0;   // what the host does before it launches the step's work
  double clock_us = 0;  // its clock is ahead by so much
};

void add(Json& events, const Rank& rank, const char* category, const std::string& name, double ts,
         double dur, Json args = Json::object()) {
  const bool on_device = std::string(category) == "kernel";
  events.push_back({{"ph", "X"},
                    {"cat", category},
                    {"name", name},
                    {"pid", on_device ? 0 : 100},
                    {"tid", on_device ? 7 : 100},
                    {"ts", ts + rank.clock_us},
                    {"dur", dur},
                    {"args", std::move(args)}});
}

void add_kernel(Json& events, const Rank& rank, const std::string& name, double launch,
                double begin, double end) {
  static int correlation = 0;
  ++correlation;
  add(events, rank, "cuda_runtime", "cudaLaunchKernel", launch, 5, {{"correlation", correlation}});
  add(events, rank, "kernel", name, begin, end - begin,
      {{"correlation", correlation}, {"device", 0}, {"stream", 7}, {"context", 1}});
}

// A matrix product of 8 ms, then an all-reduce that no rank leaves before `last_us` behind the
// step's begin.
std::string kineto_of(const Rank& rank, double last_us) {
  Json events = Json::array();
  for (int i = 0; i < kSteps; ++i) {
    const double at = 1'000 + i * kStep_us;
    add(events, rank, "user_annotation", fmt::format("ProfilerStep#{}", i), at, kStep_us);
    if (rank.late_us > 0) add(events, rank, "cpu_op", "aten::sort", at + 10, rank.late_us);
    const double begin = at + rank.late_us + 100;
    add_kernel(events, rank, "ampere_sgemm_128x64_nn", begin - 50, begin, begin + 8'000);
    add_kernel(events, rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", begin - 30, begin + 8'010,
               at + last_us + 300);
    add(events, rank, "cuda_runtime", "cudaDeviceSynchronize", begin, at + kStep_us - 20 - begin);
  }
  return Json{
      {"schemaVersion", 1},
      {"distributedInfo", {{"backend", "nccl"}, {"rank", rank.rank}, {"world_size", rank.world}}},
      {"traceEvents", std::move(events)}}
      .dump();
}

// Rank 1 sorts for 5 ms on its host before it launches.
class FilesOfRanks : public testing::Test {
 protected:
  void write(const std::string& name, const Rank& rank) {
    write_file(folder_.at(name), kineto_of(rank, 5'000 + 8'110));
  }
  std::string both() {
    write("a.json", {.rank = 0});
    write("b.json", {.rank = 1, .late_us = 5'000});
    return folder_.at("a.json") + " " + folder_.at("b.json");
  }
  static Json job_of(const std::string& arguments) {
    const RunOutcome run = run_stepscope("report --format json " + arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out, nullptr, false);
  }

  Folder folder_;
};

TEST_F(FilesOfRanks, AReplayOfOneSaysThatItIsOneOfSeveral) {
  (void)both();
  const RunOutcome run = run_stepscope("whatif --format json " + folder_.at("b.json"));
  const Json notes = Json::parse(run.out)["notes"];
  EXPECT_THAT(notes.dump(), HasSubstr("rank 1's steps, one of 2 ranks"));
}

TEST_F(FilesOfRanks, AreOneJobWhoseLateRankIsNamed) {
  const Json report = job_of(both());
  ASSERT_TRUE(report.contains("job")) << report.dump().substr(0, 300);
  const Json& ranks = report["job"]["ranks"];
  ASSERT_EQ(ranks.size(), 2);
  EXPECT_FALSE(ranks[0]["late"].get<bool>());
  EXPECT_TRUE(ranks[1]["late"].get<bool>());
  EXPECT_EQ(ranks[1]["reasons"][0]["cause"], "host.compute.select");
  const double steps = report["job"]["steps_counted"];
  EXPECT_NEAR(ranks[1]["costs_others_ns_total"].get<double>() / steps, 5e6, 5e4);
}

TEST_F(FilesOfRanks, PartsSumToRanksTimesWall) {
  const Json report = job_of(both());
  std::int64_t sum = 0;
  for (const Json& part : report["partition"]["parts"]) sum += part["ns_total"].get<std::int64_t>();
  EXPECT_EQ(sum, report["partition"]["wall_ns_total"].get<std::int64_t>());
  EXPECT_EQ(sum, 2 * report["job"]["wall_ns_total"].get<std::int64_t>());
}

TEST_F(FilesOfRanks, TheOrderOfTheFilesAndTheirClocksChangeNothing) {
  both();
  write("b.json", {.rank = 1, .late_us = 5'000, .clock_us = 3'600e6});
  const Json report = job_of(folder_.at("b.json") + " " + folder_.at("a.json"));
  EXPECT_EQ(report["job"]["ranks"][0]["rank"], 0);
  EXPECT_TRUE(report["job"]["ranks"][1]["late"].get<bool>());
  EXPECT_EQ(report["job"]["clocks"].size(), 1);
}

TEST_F(FilesOfRanks, AFolderOfThemIsTheJob) {
  both();
  EXPECT_TRUE(job_of(folder_.path().string()).contains("job"));
}

TEST_F(FilesOfRanks, ARankIsChosenOutOfSeveralFiles) {
  const Json report = job_of(both() + " --rank 1");
  EXPECT_EQ(report["run"]["rank"], 1);
  const RunOutcome none = run_stepscope("report --rank 7 " + both());
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("no process of rank 7"));
}

TEST_F(FilesOfRanks, DiffComparesFoldersAsJobs) {
  both();
  const Folder clean;
  for (const int rank : {0, 1})
    write_file(clean.at(fmt::format("rank{}.json", rank)), kineto_of({.rank = rank}, 8'110));
  const RunOutcome run = run_stepscope("diff --anyway --format json " + clean.path().string() +
                                       " " + folder_.path().string());
  const Json diff = Json::parse(run.out, nullptr, false);
  ASSERT_TRUE(diff.contains("a")) << run.err;
  for (const char* side : {"a", "b"})
    EXPECT_EQ(diff[side]["steps_counted"].get<int>() % 2, 0) << "the steps of both ranks";
  const double a = diff["a"]["wall_ns_per_step"], b = diff["b"]["wall_ns_per_step"];
  EXPECT_DOUBLE_EQ(a, kStep_us * 1e3);
  EXPECT_DOUBLE_EQ(b, a);
}

TEST_F(FilesOfRanks, ARankThatIsMissingIsNamedAndNobodyIsBlamed) {
  write("a.json", {.rank = 0, .world = 3});
  write("b.json", {.rank = 1, .world = 3, .late_us = 5'000});
  const RunOutcome run = run_stepscope("report " + folder_.path().string());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("rank 2 of 3 is not here"));
  EXPECT_THAT(run.out, Not(HasSubstr("wait for rank 1")));
}

TEST_F(FilesOfRanks, FilesOfOneRankAreReportsOfTheirOwn) {
  write("a.json", {.rank = 0});
  write("b.json", {.rank = 0});
  const RunOutcome run = run_stepscope("report " + folder_.path().string());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("rank 0 is in more than one file"));
  EXPECT_THAT(run.out, HasSubstr("====="));
}

TEST_F(FilesOfRanks, AFileOfAFolderThatIsNoTraceIsNamedAndTheRestReported) {
  write("a.json", {.rank = 0});
  write("b.json", {.rank = 0});
  write_file(folder_.at("config.json"), "{\"lr\": 0.1}");
  const RunOutcome run = run_stepscope("report " + folder_.path().string());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("config.json is left out"));
  EXPECT_THAT(run.out, HasSubstr("=====")) << "two reports";
  EXPECT_EQ(
      run_stepscope("report " + folder_.at("a.json") + " " + folder_.at("config.json")).status, 4);
}

TEST_F(FilesOfRanks, TheHeadNamesAFileThatWasRead) {
  both();
  write_file(folder_.at("0.json"), "{}");
  const RunOutcome run = run_stepscope("report " + folder_.path().string());
  EXPECT_THAT(run.out, HasSubstr("a.json and 1 more"));
}

TEST_F(FilesOfRanks, FilesThatNameNoRankSayWhyTheyAreNoJob) {
  const std::string files = both();
  for (const char* name : {"a.json", "b.json"}) {
    Json trace = Json::parse(read_file(folder_.at(name)));
    trace.erase("distributedInfo");
    write_file(folder_.at(name), trace.dump());
  }
  const RunOutcome run = run_stepscope("report " + files);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("none of the files names its rank"));
  EXPECT_THAT(run.out, HasSubstr("====="));
}

TEST_F(FilesOfRanks, AFileThatCannotBeReadIsNamedAndTheRestReported) {
  both();
  write_file(folder_.at("c.json"), "{\"traceEvents\": [");
  const Json report = job_of(folder_.path().string());
  EXPECT_EQ(report["job"]["ranks"].size(), 2U);
  EXPECT_THAT(report["job"]["notes"].dump(), HasSubstr("a part of the job is left out: "));
  EXPECT_THAT(report["job"]["notes"].dump(), HasSubstr("c.json"));
}

TEST_F(FilesOfRanks, OneFileThatCanBeReadIsNoJob) {
  write("a.json", {.rank = 0});
  write_file(folder_.at("c.json"), "{\"traceEvents\": [");
  const RunOutcome run = run_stepscope("report " + folder_.path().string());
  EXPECT_EQ(run.status, 4);
  EXPECT_THAT(run.err, HasSubstr("c.json"));
}

TEST_F(FilesOfRanks, RanksMayHaveAFolderEachAndHiddenFilesAreNone) {
  for (int rank = 0; rank < 2; ++rank) {
    std::filesystem::create_directory(folder_.at(fmt::format("rank{}", rank)));
    write(fmt::format("rank{}/trace.json", rank), {.rank = rank});
    write_file(folder_.at(fmt::format("rank{}/._trace.json", rank)), "of another file system");
  }
  const Json report = job_of(folder_.path().string());
  EXPECT_EQ(report["job"]["ranks"].size(), 2U);
  EXPECT_EQ(report["job"]["notes"].dump().find("left out"), std::string::npos);
}

// A mean over the ranks would take it for an idle one.
TEST_F(FilesOfRanks, ARankWhoseDeviceWasNotRecordedIsLeftOut) {
  for (int rank = 0; rank < 3; ++rank)
    write(fmt::format("{}.json", rank), {.rank = rank, .world = 3});
  Json blind = Json::parse(kineto_of({.rank = 1, .world = 3}, 13'110));
  Json& events = blind["traceEvents"];
  events.erase(std::remove_if(events.begin(), events.end(),
                              [](const Json& event) { return event["cat"] == "kernel"; }),
               events.end());
  write_file(folder_.at("1.json"), blind.dump());
  const Json report = job_of(folder_.path().string());
  EXPECT_EQ(report["job"]["ranks"].size(), 2U);
  EXPECT_THAT(report["job"]["notes"].dump(),
              HasSubstr("rank 1 is left out: the work of its device"));
}

}  // namespace
}  // namespace stepscope
