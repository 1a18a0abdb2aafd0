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
  std::vector<std::string> notes;
  Steps steps;
  steps.list = {{.window = {0, 200'000'000}}};
  TraceData data;
  data.processes.resize(1);
  summary_parts::note_samples(Trace::build(std::move(data)), steps, {}, notes);
  EXPECT_THAT(notes, IsEmpty());
}

// Between two samples 100 ms apart the thread waited for a core for 30 or 3 ms.
TEST(SampleNotes, AThreadThatWaitedForACore) {
  for (const double waited_ns : {30e6, 3e6}) {
    TraceMaker make;
    make.range(HostKind::op, "aten::mm", 7, 0, 200'000'000);
    Counters& counters = make.data.counters;
    counters.time = {50'000'000, 150'000'000};
    counters.track.assign(2, make.data.strings.intern("thread_wait.7"));
    counters.process = {0, 0};
    counters.value = {5e6, 5e6 + waited_ns};
    const Trace trace = make.build();
    Steps steps;
    steps.thread = trace.host_ranges().thread[0];
    steps.list = {{.window = {0, 200'000'000}}};
    std::vector<std::string> notes;
    summary_parts::note_samples(trace, steps, {}, notes);
    if (waited_ns > 10e6) {
      EXPECT_THAT(notes,
                  ElementsAre(HasSubstr("for 30 % of the time the loop's thread was ready")));
    } else {
      EXPECT_THAT(notes, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace stepscope
