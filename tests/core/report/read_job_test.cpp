// SPDX-License-Identifier: Apache-2.0
// Jobs of other tools' traces: a file a rank, which names neither its host nor its device.
#include "core/report/read_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/core/steps/loop_maker.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

class Files final : public JobTraces {
 public:
  explicit Files(std::vector<Trace> traces) : traces_(std::move(traces)) {}
  std::size_t size() const override { return traces_.size(); }
  std::string name(std::size_t part) const override { return "rank" + std::to_string(part); }
  std::uint64_t bytes_to_read(std::size_t /*part*/) const override { return 0; }
  Status use(std::size_t part, const std::function<void(const Trace&)>& user) const override {
    user(traces_[part]);
    return Done{};
  }

 private:
  std::vector<Trace> traces_;
};

Trace rank_trace(std::int32_t rank, int steps, std::int64_t begins_later_ns = 0) {
  LoopMaker loop;
  loop.now += begins_later_ns;
  for (int i = 0; i < steps; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] {
      loop.kernel("ampere_sgemm_128x64_nn", 300'000);
      loop.wait();
      loop.now += 100'000;
      loop.kernel("ampere_sgemm_128x64_nn", 300'000);
      if (begins_later_ns == 0) loop.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 100'000);
      loop.wait();
      loop.now += 50'000;
    });
  }
  loop.make.data.collected = {.device_ops = true, .api_calls = true, .api_arguments = true};
  Process& process = loop.make.data.processes.front();
  process.rank = rank;
  process.world_size = 2;
  return loop.build();
}

std::vector<Trace> two_files(int steps, std::int64_t second_begins_later_ns = 0) {
  std::vector<Trace> out;
  out.push_back(rank_trace(0, steps));
  out.push_back(rank_trace(1, steps, second_begins_later_ns));
  return out;
}

TEST(ReadJob, ADeviceWithoutANameHasWorkedAllTheSame) {
  std::string why_not;
  const auto job = read_job(Files(two_files(8)), {}, {}, why_not);
  ASSERT_TRUE(job.ok());
  ASSERT_TRUE(job.value()) << why_not;
  const PartitionSummary& sum = job.value()->partition;
  EXPECT_EQ(sum.bound, Bound::mixed) << sum.why_bound;
  EXPECT_GT(2 * sum.device_busy_ns_total, sum.wall_ns_total);
}

TEST(ReadJob, FilesAreNoHosts) {
  std::string why_not;
  const auto job = read_job(Files(two_files(8)), {}, {}, why_not);
  ASSERT_TRUE(job.ok() && job.value()) << why_not;
  for (const JobRank& rank : job.value()->job->ranks) EXPECT_EQ(rank.host, "");
}

// Each began its step at another time, so that none lies whole in what both recorded.
TEST(ReadJob, OneStepOfEachRankIsTheJobsAsFarAsAllRecordedIt) {
  std::string why_not;
  const auto job = read_job(Files(two_files(1, 120'000)), {.find = true}, {}, why_not);
  ASSERT_TRUE(job.ok() && job.value()) << why_not;
  const Summary& sum = *job.value();
  std::size_t forecasts = 0;
  for (const std::vector<Finding>* list : {&sum.findings->found, &sum.findings->no_gain})
    for (const Finding& finding : *list) {
      if (!finding.forecast) continue;
      ++forecasts;
      EXPECT_LE(finding.forecast->ns_per_step, sum.partition.wall_ns_per_step()) << finding.id;
    }
  EXPECT_GT(forecasts, 0U);
  EXPECT_EQ(sum.job->steps_counted, 1U);
  EXPECT_EQ(sum.partition.wall_ns_total, 2 * sum.job->wall_ns_total);
  std::int64_t parts = 0;
  for (const PartSum& part : sum.partition.parts) parts += part.ns_total;
  EXPECT_EQ(parts, sum.partition.wall_ns_total);
  EXPECT_THAT(sum.job->notes, testing::Contains(HasSubstr("that all of them recorded")));
}

Trace rank_with_phases(std::int32_t rank) {
  LoopMaker loop;
  const auto phase = [&](const char* name, std::int64_t ns) {
    loop.range(name, [&] { loop.kernel("ampere_sgemm_128x64_nn", ns), loop.wait(); });
  };
  for (int i = 0; i < 8; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] {
      phase("uneven", rank == 0 ? 20'000 : 500'000);
      loop.range("long", [&] { phase("small", 50'000), phase("big", 300'000); });
      phase("middle", 200'000);
    });
  }
  Process& process = loop.make.data.processes.front();
  process.rank = rank;
  process.world_size = 2;
  return loop.build();
}

TEST(ReadJob, PhasesAreSortedByTimeEachBeforeItsInnerOnes) {
  std::vector<Trace> traces;
  traces.push_back(rank_with_phases(0));
  traces.push_back(rank_with_phases(1));
  std::string why_not;
  const auto job = read_job(Files(std::move(traces)), {}, {}, why_not);
  ASSERT_TRUE(job.ok() && job.value()) << why_not;
  std::vector<std::string> paths;
  for (const PhaseRow& row : job.value()->phases)
    if (!row.path.empty()) paths.push_back(row.path);
  EXPECT_THAT(paths, testing::ElementsAre("long", "long/big", "long/small", "uneven", "middle"));
}

TEST(ReadJob, RanksThatCountNoCommonStepSayWhatIsMissing) {
  std::string why_not;
  const auto job = read_job(Files(two_files(1, 400'000)), {}, {}, why_not);
  ASSERT_TRUE(job.ok());
  EXPECT_FALSE(job.value());
  EXPECT_THAT(why_not, HasSubstr("each counts 1"));
  EXPECT_THAT(why_not, HasSubstr("record at least three"));
}

}  // namespace
}  // namespace stepscope
