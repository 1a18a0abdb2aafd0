// SPDX-License-Identifier: Apache-2.0
// Reports of a job whose ranks reduced themselves, and of one that several processes read.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "tests/cli/run_stepscope.hpp"
#include "tests/support/recorded_job.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

// Four ranks of 20 steps, of which rank 2 is late.
class RankSummaries : public testing::Test {
 protected:
  RankSummaries() { EXPECT_TRUE(recorded_job::write_job(plan_).ok()); }
  std::string report(const std::string& arguments = "") {
    const RunOutcome run = run_stepscope("report --format json " + arguments + " " + plan_.folder);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return run.out;
  }
  std::string summary(int rank) const {
    return fmt::format("{}/rank{}.summary", plan_.folder, rank);
  }
  std::vector<std::string> notes() {
    return nlohmann::json::parse(report())["job"]["notes"].get<std::vector<std::string>>();
  }
  static void write_rank(std::uint32_t rank, const recorded_job::Plan& plan,
                         const std::string& file, const SaveOptions& options = {}) {
    std::filesystem::remove(file);
    const Trace trace = recorded_job::trace_of(plan, recorded_job::steps_of(plan), rank);
    ASSERT_TRUE(save(trace, file, options).ok());
  }

  Folder folder_;
  recorded_job::Plan plan_{
      .folder = folder_.at("job.scope"), .ranks = 4, .steps = 20, .kernels = 12};
};

TEST_F(RankSummaries, TheReportIsTheSameWithThem) {
  const std::string before = report(), text = run_stepscope("report " + plan_.folder).out;
  ASSERT_TRUE(nlohmann::json::parse(before)["job"]["ranks"][2]["late"].get<bool>());
  EXPECT_FALSE(std::filesystem::exists(summary(0)));
  EXPECT_EQ(report("--summarize-ranks"), before);
  for (int rank = 0; rank < 4; ++rank) EXPECT_TRUE(std::filesystem::exists(summary(rank)));
  EXPECT_EQ(report(), before);
  EXPECT_EQ(run_stepscope("report " + plan_.folder).out, text);
}

TEST_F(RankSummaries, OtherCommandsReadThemToo) {
  const std::string command = "diff --anyway --format json " + plan_.folder + " " + plan_.folder;
  const RunOutcome before = run_stepscope(command);
  report("--summarize-ranks");
  const RunOutcome after = run_stepscope(command);
  EXPECT_EQ(after.status, before.status) << after.err;
  EXPECT_EQ(after.out, before.out);
}

TEST_F(RankSummaries, AFolderThatWasMovedKeepsThem) {
  report("--summarize-ranks");
  const std::string moved = folder_.at("moved.scope");
  std::filesystem::rename(plan_.folder, moved);
  plan_.folder = moved;
  const std::string with = report();
  for (int rank = 0; rank < 4; ++rank) std::filesystem::remove(summary(rank));
  EXPECT_EQ(report(), with);
}

// Zeroes in the last chunk of events leave its header as it was, so that nobody sees them who does not
// read events.
TEST_F(RankSummaries, EventsAreReadOfTheLateRankAlone) {
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    write_rank(rank, plan_, recorded_job::file_of(plan_, rank), {.batch_rows = 200});
  report("--summarize-ranks");
  const std::string before = report();
  for (const std::uint32_t rank : {0U, 1U, 3U}) {
    std::string bytes = read_file(recorded_job::file_of(plan_, rank));
    const std::size_t footer = bytes.rfind("\xf5SCK");
    ASSERT_GT(footer, bytes.find("\xf5SCK", 30)) << "there are chunks behind the first one";
    bytes.replace(footer - 40, 20, 20, '\0');
    write_file(recorded_job::file_of(plan_, rank), bytes);
  }
  EXPECT_EQ(report(), before);
  EXPECT_NE(report("--phase Optimizer"), before);
}

TEST_F(RankSummaries, OptionsThatChangeWhatIsReadReadTheEvents) {
  const std::string before = report("--phase Optimizer");
  report("--summarize-ranks");
  EXPECT_EQ(report("--phase Optimizer"), before);
  EXPECT_EQ(report("--rank 1"), report("--rank 1"));
}

TEST_F(RankSummaries, OneOfAnotherRecordingIsNamedAndNotUsed) {
  report("--summarize-ranks");
  recorded_job::Plan other = plan_;
  other.kernels = 13;
  write_rank(1, other, recorded_job::file_of(plan_, 1));
  EXPECT_THAT(notes(), testing::Contains(AllOf(HasSubstr("the events of 1 rank were read"),
                                               HasSubstr("rank1.summary: files: it was made of"))));
  const std::string with = report();
  std::filesystem::remove(summary(1));
  nlohmann::json a = nlohmann::json::parse(with), b = nlohmann::json::parse(report());
  a["job"].erase("notes");
  b["job"].erase("notes");
  EXPECT_EQ(a["partition"], b["partition"]);
  EXPECT_EQ(a["job"], b["job"]);
}

TEST_F(RankSummaries, ADamagedOneIsNamedAndNotUsed) {
  report("--summarize-ranks");
  const auto before = nlohmann::json::parse(report())["partition"];
  std::string bytes = read_file(summary(3));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(summary(3), bytes);
  write_file(summary(0), read_file(summary(0)).substr(0, 100));
  EXPECT_THAT(notes(), testing::Contains(AllOf(HasSubstr("the events of 2 ranks were read"),
                                               HasSubstr("rank0.summary: CRC:"))));
  EXPECT_EQ(nlohmann::json::parse(report())["partition"], before);
}

TEST_F(RankSummaries, ARankOfTwoProcessesIsTheSameWithThem) {
  write_rank(1, plan_, plan_.folder + "/again.sst");
  const std::string before = report();
  EXPECT_THAT(before, HasSubstr("rank 1 was recorded by 2 processes"));
  report("--summarize-ranks");
  EXPECT_EQ(report(), before);
}

TEST_F(RankSummaries, AWorldSizeThatFilesContradictIsTheSameWithThem) {
  recorded_job::Plan other = plan_;
  other.ranks = 8;
  write_rank(1, other, recorded_job::file_of(plan_, 1));
  const std::string before = report();
  EXPECT_THAT(
      before,
      HasSubstr("rank 1 is left out: it belongs to a job of 8 ranks, the others to one of 4"));
  report("--summarize-ranks");
  EXPECT_EQ(report(), before);
}

// The recording of rank 1 ends behind these many steps.
void cut_rank(const recorded_job::Plan& plan, std::size_t steps) {
  std::vector<recorded_job::Step> first = recorded_job::steps_of(plan);
  first.resize(steps);
  const std::string file = recorded_job::file_of(plan, 1);
  std::filesystem::remove(file);
  ASSERT_TRUE(save(recorded_job::trace_of(plan, first, 1), file).ok());
}

TEST_F(RankSummaries, ARankThatWasCutShortensTheJobAndItsCauseStays) {
  cut_rank(plan_, 7);
  const auto job = nlohmann::json::parse(report())["job"];
  EXPECT_EQ(job["steps_counted"], 6);
  EXPECT_EQ(job["ranks"].size(), 4U);
  EXPECT_TRUE(job["ranks"][2]["late"].get<bool>());
  EXPECT_EQ(job["ranks"][2]["reasons"][0]["cause"], "host.compute.select");
  EXPECT_THAT(job["notes"].dump(), HasSubstr("different numbers of steps: 6 (rank 1) to 19"));
}

TEST_F(RankSummaries, ARankThatCoversNextToNothingIsLeftOut) {
  cut_rank(plan_, 2);
  const auto job = nlohmann::json::parse(report())["job"];
  EXPECT_EQ(job["ranks"].size(), 3U);
  EXPECT_THAT(job["notes"].dump(), HasSubstr("rank 1 is left out"));
}

TEST_F(RankSummaries, FoldersOfOneRankEachAreTheSameWithThem) {
  const std::string job = folder_.at("job");
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const std::string own = fmt::format("{}/rank{}.scope", job, rank);
    std::filesystem::create_directories(own);
    std::filesystem::rename(recorded_job::file_of(plan_, rank), own + "/100.sst");
  }
  plan_.folder = job;
  const std::string before = report();
  EXPECT_THAT(before, HasSubstr("\"late\": true"));
  report("--summarize-ranks");
  EXPECT_TRUE(std::filesystem::exists(job + "/rank3.scope/rank3.summary"));
  EXPECT_EQ(report(), before);
}

// A report that a program under mpirun asks for is its own, and does not wait for other processes.
TEST_F(RankSummaries, VariablesOfMpirunAloneChangeNothing) {
  const std::string arguments = "report " + plan_.folder;
  const RunOutcome run = run_stepscope(
      arguments, "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1 LC_ALL=C.UTF-8 timeout 60");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, run_stepscope(arguments).out);
}

class Mpirun : public RankSummaries {
 protected:
  void SetUp() override {
    if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "mpirun is not here";
    if (!std::filesystem::exists(STEPSCOPE_BINARY_DIR "/cli/mpi/stepscope_mpi.so"))
      GTEST_SKIP() << "this build has no STEPSCOPE_WITH_MPI";
  }
  static std::string launcher(int processes) {
    return fmt::format(
        "LC_ALL=C.UTF-8 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "timeout 300 mpirun --oversubscribe --bind-to none -n {}",
        processes);
  }
  static RunOutcome run(int processes, const std::string& arguments) {
    return run_stepscope(arguments, launcher(processes));
  }
};

TEST_F(Mpirun, AnyNumberOfProcessesGivesTheSameReport) {
  const std::string text = run_stepscope("report " + plan_.folder).out, json = report();
  for (const int processes : {2, 3}) {
    EXPECT_EQ(run(processes, "report " + plan_.folder).out, text) << processes;
    const RunOutcome of_json = run(processes, "report --format json " + plan_.folder);
    EXPECT_EQ(of_json.status, 0) << of_json.err;
    EXPECT_EQ(of_json.out, json) << processes;
  }
  report("--summarize-ranks");
  EXPECT_EQ(run(2, "report --format json " + plan_.folder).out, json);
}

TEST_F(Mpirun, AnErrorIsSaidOnceWithItsStatus) {
  write_file(recorded_job::file_of(plan_, 1), "");
  const RunOutcome alone = run_stepscope("report --rank 1 " + plan_.folder);
  const RunOutcome both = run(2, "report --rank 1 " + plan_.folder);
  EXPECT_EQ(both.status, alone.status);
  const auto first = both.err.find("stepscope report:");
  EXPECT_NE(first, std::string::npos) << both.err;
  EXPECT_EQ(both.err.find("stepscope report:", first + 1), std::string::npos) << both.err;
}

TEST_F(Mpirun, WithoutTheModuleTheFirstProcessReadsAlone) {
  const std::string moved = folder_.at("stepscope"), out = folder_.at("out"),
                    err = folder_.at("err");
  std::filesystem::copy_file(STEPSCOPE_BINARY_DIR "/cli/stepscope", moved);
  const std::string command =
      launcher(2) + " " + moved + " report " + plan_.folder + " >" + out + " 2>" + err;
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(err);
  EXPECT_EQ(read_file(out), run_stepscope("report " + plan_.folder).out);
  const std::string said = read_file(err);
  EXPECT_THAT(said, HasSubstr("reads alone: stepscope_mpi.so is not beside this stepscope"));
  EXPECT_EQ(said.find("reads alone"), said.rfind("reads alone"));
}

TEST_F(Mpirun, ATraceOfOneRankIsReportedOnce) {
  const std::string file = recorded_job::file_of(plan_, 1);
  EXPECT_EQ(run(2, "report --format json " + file).out,
            run_stepscope("report --format json " + file).out);
}

}  // namespace
}  // namespace stepscope
