// SPDX-License-Identifier: Apache-2.0
// The operations, backward nodes and scopes that stepscope records of a training loop are those that
// PyTorch's own (autograd) profiler counts in the same steps, name by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <torch/csrc/autograd/profiler_legacy.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "collectors/record_function/record_function.hpp"
#include "collectors/recorder/process_state.hpp"
#include "core/store/reader/reader.hpp"
#include "tests/collectors/record_function/small_training.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using Counts = std::map<std::string, std::uint64_t>;

// Returns PyTorch's counts of `steps` steps, while the recorder records the same steps.
Counts profiled_steps(SmallTraining& training, int steps) {
  using namespace torch::autograd::profiler;
  enableProfilerLegacy(
      torch::profiler::impl::ProfilerConfig(torch::profiler::impl::ProfilerState::CPU));
  for (int i = 0; i < steps; ++i) (void)training.step();
  Counts counts;
  for (const auto& thread : disableProfilerLegacy()) {
    for (const LegacyEvent& event : thread) {
      if (event.kindStr() == "push") ++counts[event.name()];
    }
  }
  return counts;
}

void write(const Counts& counts, const fs::path& path) {
  std::ofstream out(path);
  for (const auto& [name, count] : counts) out << count << ' ' << name << '\n';
}

Counts read(const fs::path& path) {
  Counts counts;
  std::ifstream in(path);
  std::uint64_t count = 0;
  std::string name;
  while (in >> count && in.get() == ' ' && std::getline(in, name)) counts[name] = count;
  return counts;
}

Counts recorded(const fs::path& folder) {
  Result<TraceData> data = read_scope(folder);
  EXPECT_TRUE(data.ok()) << (data.ok() ? "" : data.error().message);
  Counts counts;
  if (!data.ok()) return counts;
  EXPECT_EQ(data->health.dropped_records, 0U);
  for (const StringId name : data->host_ranges.name)
    ++counts[std::string(data->strings.view(name))];
  return counts;
}

// A process has one recorder, so it is a forked child that trains.
TEST(OpCounts, AreThoseOfTorchsOwnProfiler) {
  const fs::path folder =
      fs::temp_directory_path() / ("op_counts_test." + std::to_string(getpid()));
  fs::create_directories(folder / "live");
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = folder.string();
    SmallTraining training;
    if (!recorder::start({.folder = text.c_str()})) _exit(3);
    RecordFunctionOptions options;
    options.ops = true;
    if (!enable_record_function(options)) _exit(4);
    write(profiled_steps(training, 3), folder / "torch.txt");
    recorder::finish(ExitReason::exited, 0);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  const Counts theirs = read(folder / "torch.txt"), ours = recorded(folder);
  EXPECT_GT(theirs.size(), 20U);
  EXPECT_EQ(ours, theirs);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace stepscope
