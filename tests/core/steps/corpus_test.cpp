// SPDX-License-Identifier: Apache-2.0
// Real traces (STEPSCOPE_CORPUS, a folder of Kineto files): the known number of steps with all
// marks, with ProfilerStep# hidden, and with every user range hidden, so that only the period is
// left.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/importers/kineto/kineto.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {
namespace {

enum class Hide : std::uint8_t { nothing, profiler_steps, user_ranges };

std::size_t known_steps(const std::string& file) {
  if (file.starts_with("clt_batch_topk")) return 20;
  return file.starts_with("llm_ladder") || file.starts_with("polychromic_generate") ? 2 : 4;
}

// A hidden range becomes one of no family that any finder reads.
void hide(TraceData& data, Hide what) {
  HostRanges& h = data.host_ranges;
  const StringId hidden = data.strings.intern("hidden");
  for (RangeId i = 0; i < h.size(); ++i) {
    if (h.kind[i] != HostKind::user_scope) continue;
    const bool profiler_step = data.strings.view(h.name[i]).starts_with("ProfilerStep#");
    if (what == Hide::nothing || (what == Hide::profiler_steps && !profiler_step)) continue;
    h.kind[i] = HostKind::other;
    h.name[i] = hidden;
  }
}

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  const char* folder = std::getenv("STEPSCOPE_CORPUS");
  if (folder == nullptr) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().ends_with(".json.gz")) files.push_back(entry.path());
  }
  return files;
}

void expect_sound(const Steps& steps, const std::string& file) {
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    EXPECT_GT(steps.list[k].wall_ns(), 0) << file;
    EXPECT_TRUE(steps.list[k].wall_known) << file;
    if (k > 0) {
      EXPECT_EQ(steps.list[k].window.begin, steps.list[k - 1].window.end) << file;
    }
  }
  EXPECT_GE(steps.steady_count(), 1U) << file;
}

class Corpus : public ::testing::TestWithParam<Hide> {};

TEST_P(Corpus, HasTheKnownNumberOfSteps) {
  const std::vector<std::filesystem::path> files = corpus();
  if (files.empty()) GTEST_SKIP() << "set STEPSCOPE_CORPUS to a folder of Kineto traces";
  for (const auto& path : files) {
    Result<TraceData> data = read_kineto(path);
    ASSERT_TRUE(data.ok()) << data.error().message;
    hide(data.value(), GetParam());
    const Result<Steps> steps = find_steps(Trace::build(std::move(data).value()));
    const std::string file = path.filename().string();
    ASSERT_TRUE(steps.ok()) << file << ": " << steps.error().message;
    const std::size_t known = known_steps(file);
    if (GetParam() != Hide::user_ranges) {
      EXPECT_EQ(steps->found_by,
                GetParam() == Hide::nothing ? FoundBy::profiler_step : FoundBy::optimizer)
          << file;
      EXPECT_EQ(steps->list.size(), known) << file;
      expect_sound(steps.value(), file);
    } else if (known < 3) {
      // Two steps are no period, and what repeats inside them (layers, tokens) is no step.
      EXPECT_EQ(steps->found_by, FoundBy::whole_trace) << file << ": " << steps->how;
    } else {
      // Where a cycle begins is not recorded, so a step more or less at the edges is right, too.
      EXPECT_EQ(steps->found_by, FoundBy::periodicity) << file;
      EXPECT_GE(steps->list.size(), known - 1) << file;
      EXPECT_LE(steps->list.size(), known + 1) << file;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Marks, Corpus,
                         ::testing::Values(Hide::nothing, Hide::profiler_steps, Hide::user_ranges));

}  // namespace
}  // namespace stepscope
