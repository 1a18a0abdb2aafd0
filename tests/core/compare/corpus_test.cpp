// SPDX-License-Identifier: Apache-2.0
// Sample programs before and after their repair, from real traces: what the difference is mostly
// made of is what was planted there. Runs where STEPSCOPE_CORPUS names those traces;
// sync_mask_norms is in tests/data.
#include <gtest/gtest.h>

#include "core/compare/comparison.hpp"
#include "core/importers/load.hpp"
#include "tests/core/compare/sample_sides.hpp"
#include "tests/support/corpus.hpp"

namespace stepscope {
namespace {

struct Pair {
  const char* before;
  const char* after;
  const char* line_in;  // the function that holds the line of the largest difference
  Cause cause;          // cause of the planted cost
  const char* phase;    // phase of the largest difference
};

// Functions as in the programs; see the tags in their sources.
constexpr Pair kPairs[] = {
    {"clt_batch_topk.bad", "clt_batch_topk.fixed", "load", Cause::host_python, "data"},
    {"collate_tokens.bad", "collate_tokens.fixed", "collate_lists", Cause::host_python, "data"},
    {"polychromic_generate.bad", "polychromic_generate.fixed", "forward", Cause::host_framework,
     "generate"},
    {"sync_mask_norms.bad", "sync_mask_norms.fixed", "largest_norms_on", Cause::host_python,
     "norms"},
    {"llm_ladder.r0", "llm_ladder.r3", "forward", Cause::gpu_gemm, "backward"},
    {"llm_ladder.r3", "llm_ladder.r5", "step", Cause::gpu_optimizer, "optimizer"},
};

std::filesystem::path trace_of(const std::string& name) {
  for (const std::filesystem::path& path : corpus_traces())
    if (path.filename() == name + ".json.gz") return path;
  return {};
}

Summary summary_of(const std::filesystem::path& path) {
  const auto trace = load(path);
  const auto steps = find_steps(*trace);
  const auto attribution = attribute(*trace, *steps);
  return summarize(*trace, *steps, *attribution);
}

class CorpusPairs : public testing::TestWithParam<Pair> {};

TEST_P(CorpusPairs, DifferMostlyByWhatWasPlanted) {
  const auto [before, after, function, cause, phase] = GetParam();
  const std::filesystem::path a = trace_of(before), b = trace_of(after);
  if (a.empty() || b.empty()) GTEST_SKIP() << "no such traces: STEPSCOPE_CORPUS is unset";
  const Comparison c = compare(summary_of(a), summary_of(b));
  ASSERT_TRUE(c.comparable) << c.why_not.front();
  EXPECT_LT(c.delta_ns_total, 0);
  EXPECT_EQ(c.residual_ns, 0);
  EXPECT_EQ(sum_of_deltas(c.parts), c.delta_ns_total) << "all of it is explained";
  EXPECT_EQ(sum_of_deltas(c.lines), c.delta_ns_total);
  EXPECT_TRUE(c.lines.front().function.starts_with(function)) << c.lines.front().function;
  EXPECT_TRUE(c.parts.front().function.starts_with(function)) << c.parts.front().function;
  EXPECT_EQ(name_of(c.parts.front().cause), name_of(cause));
  EXPECT_EQ(c.phases.front().path, phase);
}

INSTANTIATE_TEST_SUITE_P(Kineto, CorpusPairs, testing::ValuesIn(kPairs), [](const auto& pair) {
  std::string name = pair.param.before;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace stepscope
