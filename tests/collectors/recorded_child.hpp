// SPDX-License-Identifier: Apache-2.0
// Runs a body in a forked child with the recorder at work, because a process has one, and reads
// back what it recorded.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "collectors/recorder/process_state.hpp"
#include "collectors/recorder/recorder.hpp"
#include "core/store/reader/reader.hpp"

namespace stepscope {

struct Rings {
  std::uint32_t slots = 1U << 18U;
  std::uint32_t flush_ms = 10;
};

// Says whether every thread of this process but the calling one sleeps.
inline bool other_threads_sleep() {
  const std::string self = std::to_string(gettid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == self) continue;
    std::ifstream file(task.path() / "stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const std::size_t name_end = stat.rfind(')');
    if (name_end != std::string::npos && stat[name_end + 2] != 'S') return false;
  }
  return true;
}

// Forks while the recorder's threads sleep. The address sanitizer's allocator stays locked in the
// child if another thread allocates at that moment, and the child hangs; glibc's does not.
inline pid_t fork_while_others_sleep() {
  for (int i = 0; i < 1'000 && !other_threads_sleep(); ++i) usleep(1'000);
  return fork();
}

class RecordedChild : public testing::Test {
 protected:
  // Makes a folder of its own, whatever an earlier process of this number has left.
  RecordedChild() {
    std::string name = (std::filesystem::temp_directory_path() / "recorded_child.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for " + name);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "live");
  }
  ~RecordedChild() override { std::filesystem::remove_all(folder_); }

  // Expectations inside the body count: the child's exit status reports them.
  void record(const std::function<void()>& body, const Rings& rings = {}) {
    ASSERT_EQ(status_of(body, rings), 0);
  }

  // As waitpid says it: for a body that does not come to its end.
  int status_of(const std::function<void()>& body, const Rings& rings = {}) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string folder = folder_.string();
      if (!recorder::start(
              {.folder = folder.c_str(), .ring_slots = rings.slots, .flush_ms = rings.flush_ms}))
        _exit(99);
      body();
      recorder::stop_row_sources(5);
      recorder::finish(ExitReason::exited, 0);
      _exit(HasFailure() ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }

  // Waits, up to five seconds, until the files hold ranges: the writer has written its first chunk.
  void wait_for_written_ranges() const {
    for (int i = 0; i < 500; ++i) {
      const Result<TraceData> data = read_scope(folder_);
      if (data.ok() && data->host_ranges.size() > 0) return;
      usleep(10'000);
    }
    ADD_FAILURE() << "no range was written to " << folder_;
  }

  Trace read() {
    Result<TraceData> data = read_scope(folder_);
    EXPECT_TRUE(data.ok()) << (data.ok() ? "" : data.error().message);
    return data.ok() ? Trace::build(std::move(*data)) : Trace::build(TraceData{});
  }

  // Returns the notes of the recording process, without those of the reader.
  std::vector<std::string> notes() {
    std::vector<std::string> out = read().health().notes;
    std::erase_if(out, [](const std::string& note) { return note.starts_with("run.json"); });
    return out;
  }

  std::size_t count_files(const std::string& extension) const {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
      files += entry.path().extension() == extension ? 1U : 0U;
    return files;
  }

  std::filesystem::path folder_;
};

}  // namespace stepscope
