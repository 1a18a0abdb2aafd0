// SPDX-License-Identifier: Apache-2.0
// What the host was inside in the time that has no explanation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/summary/parts.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One step of a millisecond, of which [100, 100 + ns) us have no explanation.
std::vector<std::string> notes_of(TraceMaker& make, std::int64_t us, Cause cause = Cause::unknown,
                                  SiteId site = kNone) {
  const Trace trace = make.build();
  Steps steps;
  steps.list.push_back({.host = {0, 1'000'000}, .window = {0, 1'000'000}});
  Attribution attribution;
  attribution.process.segments = {
      {.time = {0, 100'000}, .cause = Cause::gpu_gemm},
      {.time = {100'000, 100'000 + 1'000 * us}, .cause = cause, .site = site},
      {.time = {100'000 + 1'000 * us, 1'000'000}, .cause = Cause::gpu_gemm}};
  std::vector<std::string> out;
  summary_parts::note_unknown(trace, steps, attribution, summary_parts::counting_of(steps, {0}),
                              out);
  return out;
}

TEST(UnknownNotes, NameTheInnermostCallWithItsLine) {
  TraceMaker make;
  make.range(HostKind::op, "aten::item", 1, 50'000, 900'000);
  make.call("cudaMemcpyAsync", 1, 60'000, 800'000, 7);
  const SiteId site = make.site("train.py", 12);
  EXPECT_THAT(
      notes_of(make, 300, Cause::unknown, site),
      ElementsAre("without explanation a step: 300 us inside cudaMemcpyAsync at train.py:12"));
}

TEST(UnknownNotes, SayThatCollectivesAreNotInTheTrace) {
  TraceMaker make;
  make.range(HostKind::op, "c10d::allreduce_", 1, 10'000, 20'000);
  make.call("cudaStreamSynchronize", 1, 60'000, 800'000, 7);
  EXPECT_THAT(
      notes_of(make, 300),
      ElementsAre(HasSubstr("300 us inside cudaStreamSynchronize, behind collectives that are "
                            "not in the trace")));
}

// Gloo's collectives on the CPU have no record on a device.
TEST(UnknownNotes, NoCollectiveIsMissingWhereNoDeviceIsUsed) {
  TraceMaker make;
  make.range(HostKind::op, "c10d::allreduce_", 1, 10'000, 20'000);
  make.range(HostKind::user_scope, "ProfilerStep#12", 1, 60'000, 800'000);
  EXPECT_THAT(notes_of(make, 300),
              ElementsAre("without explanation a step: 300 us inside ProfilerStep#"));
}

TEST(UnknownNotes, TimeBetweenRecordsIsInNone) {
  TraceMaker make;
  make.range(HostKind::op, "aten::mm", 1, 10'000, 20'000);
  EXPECT_THAT(notes_of(make, 300, Cause::host_other),
              ElementsAre(HasSubstr("300 us between the records of the loop's thread")));
}

TEST(UnknownNotes, SayNothingOfTimeThatIsLittleOrExplained) {
  TraceMaker little, explained;
  little.range(HostKind::op, "aten::mm", 1, 10'000, 20'000);
  explained.range(HostKind::op, "aten::mm", 1, 10'000, 20'000);
  EXPECT_THAT(notes_of(little, 10), IsEmpty());
  EXPECT_THAT(notes_of(explained, 300, Cause::host_python), IsEmpty());
}

}  // namespace
}  // namespace stepscope
