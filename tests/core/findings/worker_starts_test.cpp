// SPDX-License-Identifier: Apache-2.0
// A loader whose workers are ended and started anew in each epoch. Times are in us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

constexpr int kEpochs = 4, kBatches = 10, kStepOperations = 5, kTakeUs = 10, kWorkUs = 180;
constexpr const char* kNext = "\"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__\"";

// Each epoch has ten batches, then a take of `ends` that gets none, and Python of `starts` at the loop's
// line. Steps are iterations of that loop, so the last one of an epoch has the take without a batch.
std::string epochs(int ends, int starts) {
  std::ostringstream out;
  out << "no_device\n";
  int at = 0;
  const auto take = [&](int length) {
    out << "scope t1 " << at << ' ' << at + length << ' ' << kNext << '\n';
    at += length;
  };
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (int batch = 0; batch < kBatches; ++batch) {
      const int begin = at;
      take(kTakeUs);
      for (int i = 0; i < kStepOperations; ++i, at += kWorkUs)
        out << "op t1 " << at << ' ' << at + kWorkUs << " aten::mm at=train.py:12\n";
      if (batch + 1 == kBatches) {
        take(ends);
        out << "python t1 " << at << ' ' << at + starts << " start at=train.py:10\n";
        at += starts;
      }
      out << "step " << begin << ' ' << at << '\n';
    }
  }
  out << "expect found input_starvation train.py:10\n";
  return out.str();
}

TEST(WorkerStarts, AreAFindingWithTheirPriceAndAFixOfTheirOwn) {
  const Finding found = finding_of_text(epochs(2000, 3000), "input_starvation");
  EXPECT_THAT(found.title, ::testing::HasSubstr("starts others once in"));
  EXPECT_THAT(found.code_hint, ::testing::HasSubstr("persistent_workers=True"));
  ASSERT_EQ(found.fixes.size(), 1U);
  EXPECT_EQ(found.fixes[0].kind, FixKind::prefetch_input);
}

TEST(WorkerStarts, WorkersThatStayCostNothing) {
  const Result<TextCase> made = parse_case("made", epochs(20, 30));
  ASSERT_TRUE(made.ok()) << made.error().message;
  const Result<Attribution> attribution = attribute(made->trace, *made->steps);
  const Findings all = find_all(made->trace, *made->steps, *attribution,
                                summarize(made->trace, *made->steps, *attribution), {});
  for (const Finding& finding : all.found) EXPECT_NE(finding.id, "input_starvation");
}

}  // namespace
}  // namespace stepscope::testing
