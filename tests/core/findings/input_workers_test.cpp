// SPDX-License-Identifier: Apache-2.0
// A loop that waits for a loader whose worker computes all the time: what it is advised depends on
// whether one more worker would find a core. Times are in us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/findings/all_findings.hpp"
#include "core/model/events.hpp"
#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

constexpr int kSteps = 8, kStep = 1000, kTake = 700;

// The worker makes a batch in each step, and is seen at it four times.
void write_worker(std::ostream& out) {
  for (int time = 0; time <= kSteps * kStep; time += kStep / 4)
    out << "sample t3 " << time << " at=data.py:5 cpu=" << time
        << " flags=" << (kSampleWorker | kSampleFetching | kSampleRan) << "\ncounter thread_wait.3 "
        << time << " 0\n";
}

std::string waiting_loop(int cores) {
  std::ostringstream out;
  out << "process p0 cores=" << cores << "\nno_device\nrepeat " << kSteps << " host=" << kStep
      << " device=" << kStep << "\nstep 0 " << kStep << "\nscope t1 0 " << kTake
      << " \"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__\"\nop t1 " << kTake
      << ' ' << kStep << " aten::mm at=train.py:12\nend\n";
  write_worker(out);
  out << "expect found input_starvation train.py:12\n";
  return out.str();
}

Finding advice_on(int cores) {
  const Result<TextCase> read = parse_case("waiting_loop", waiting_loop(cores));
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  const Result<Attribution> attribution = attribute(read->trace, *read->steps);
  const Summary summary = summarize(read->trace, *read->steps, *attribution);
  const Findings all = find_all(read->trace, *read->steps, *attribution, summary, {});
  const auto found = std::find_if(all.found.begin(), all.found.end(), [](const Finding& finding) {
    return finding.id == "input_starvation";
  });
  EXPECT_NE(found, all.found.end());
  return found == all.found.end() ? Finding{} : *found;
}

TEST(InputWorkers, AreMoreWhereCoresAreFree) {
  const Finding finding = advice_on(8);
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("more workers make the input"));
  EXPECT_THAT(finding.code_hint, ::testing::HasSubstr("num_workers=4"));
}

TEST(InputWorkers, AreNotAskedForWhereTheyWouldFindNoCore) {
  const Finding finding = advice_on(2);
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("more workers would find no core"));
  EXPECT_THAT(finding.code_hint, ::testing::Not(::testing::HasSubstr("num_workers")));
}

}  // namespace
}  // namespace stepscope::testing
