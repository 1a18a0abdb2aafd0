// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/summary/parts.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> notes_with(const std::map<std::string, std::string>& facts,
                                    const LoaderWait& loader = {}) {
  TraceMaker make;
  make.data.processes[0].facts = facts;
  std::vector<std::string> notes;
  summary_parts::note_samples(make.build(), Steps{}, loader, notes);
  return notes;
}

TEST(SampleNotes, HowManyWorkersWereBusy) {
  EXPECT_THAT(
      notes_with({}, {.seen_ns = 1000, .busy_ns = 1900, .workers = 2}),
      ElementsAre("while the loop waited for its DataLoader, 1.9 of 2 workers made a batch"));
  EXPECT_THAT(notes_with({}), IsEmpty());
}

TEST(SampleNotes, TornOnesAreToldWhereTheyAreMany) {
  EXPECT_THAT(notes_with({{"host_samples", "960"}, {"host_samples.torn", "40"}}), IsEmpty());
  EXPECT_THAT(notes_with({{"host_samples", "900"}, {"host_samples.torn", "100"}}),
              ElementsAre(HasSubstr("100 of 1000 looks")));
  EXPECT_THAT(notes_with({{"host_samples", "nonsense"}}), IsEmpty());
}

TEST(SampleNotes, WorkersThatCannotBeRead) {
  EXPECT_THAT(notes_with({{"host_samples.workers", "the system forbids it"}}),
              ElementsAre("the DataLoader's workers were not looked at: the system forbids it"));
}

TEST(SampleNotes, ATraceWithoutThreadsHasNothingToTell) {
  Steps steps;
  steps.list = {{.window = {0, 200'000'000}}};
  TraceData data;
  data.processes.resize(1);
  EXPECT_FALSE(summary_parts::core_wait_share(ThreadCpu(Trace::build(std::move(data))), steps));
}

// Between two samples of its clocks, which lie `apart`, the thread waited for a core so long and ran
// for the rest.
std::optional<double> share_between_samples(std::int64_t apart, std::int64_t waited) {
  TraceMaker make;
  make.range(HostKind::op, "aten::mm", 7, 0, 200'000'000);
  const auto sample = [&make](const char* track, std::int64_t time, std::int64_t value) {
    Counters& counters = make.data.counters;
    counters.time.push_back(time);
    counters.track.push_back(make.data.strings.intern(track));
    counters.process.push_back(0);
    counters.value.push_back(static_cast<double>(value));
  };
  constexpr std::int64_t kFirst = 50'000'000, kBefore = 5'000'000;
  sample("thread_wait.7", kFirst, kBefore), sample("thread_cpu.7", kFirst, kBefore);
  sample("thread_wait.7", kFirst + apart, kBefore + waited);
  sample("thread_cpu.7", kFirst + apart, kBefore + apart - waited);
  const Trace trace = make.build();
  Steps steps;
  steps.thread = trace.host_ranges().thread[0];
  steps.list = {{.window = {0, 200'000'000}}};
  return summary_parts::core_wait_share(ThreadCpu(trace), steps);
}

TEST(SampleNotes, AThreadThatWaitedForACore) {
  EXPECT_DOUBLE_EQ(share_between_samples(100'000'000, 30'000'000).value_or(-1), 0.3);
  EXPECT_FALSE(share_between_samples(10'000'000, 3'000'000)) << "too little of the run";
}

}  // namespace
}  // namespace stepscope
