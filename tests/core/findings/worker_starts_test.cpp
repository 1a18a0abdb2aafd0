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

Findings findings_of(const std::string& text) {
  const Result<TextCase> made = parse_case("made", text);
  EXPECT_TRUE(made.ok());
  if (!made.ok()) return {};
  const Result<Attribution> attribution = attribute(made->trace, *made->steps);
  return find_all(made->trace, *made->steps, *attribution,
                  summarize(made->trace, *made->steps, *attribution), {});
}

TEST(WorkerStarts, WorkersThatStayCostNothing) {
  for (const Finding& finding : findings_of(epochs(20, 30)).found)
    EXPECT_NE(finding.id, "input_starvation");
}

// A fork copies pages by faults, and no allocator changes that.
TEST(WorkerStarts, PageFaultsAreNotJudgedBesideThem) {
  const char* counters =
      "counter process_cpu 0 0\ncounter process_cpu 50000 50000000\n"
      "counter process_system 0 0\ncounter process_system 50000 20000000\n"
      "counter page_faults 0 0\ncounter page_faults 50000 8000\n";
  const auto why_not = [&](const std::string& text) {
    for (const NotFound& one : findings_of(text + counters).abstained)
      if (one.id == "page_faults") return one.reason;
    return std::string();
  };
  EXPECT_THAT(why_not(epochs(2000, 3000)), ::testing::HasSubstr("workers of a loader start"));
  EXPECT_EQ(why_not(epochs(20, 30)), "");
}

}  // namespace
}  // namespace stepscope::testing
