// SPDX-License-Identifier: Apache-2.0
// What the recorder's own thread takes an event, of a made stream of launches, copies and events
// with their device records at a steady rate, through the real recorder and a fake CUPTI:
//
//   recorder_cost [thousands of launches]
//
// Prints the CPU time an event of reading alone and of all that the thread does.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "collectors/cupti/collector.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/process_state.hpp"
#include "collectors/recorder/recorder.hpp"
#include "core/store/reader/reader.hpp"
#include "tests/collectors/cupti/cuda_calls.hpp"
#include "tests/collectors/cupti/fake_cupti.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::cupti;

constexpr int kLaunchesOfAStep = 1000;
constexpr int kStreams = 3;
constexpr std::size_t kKernels = 60;  // names, about as long as those of templates

std::array<std::string, kKernels> make_names() {
  std::array<std::string, kKernels> names;
  for (std::size_t i = 0; i < kKernels; ++i)
    names[i] = "void at::native::vectorized_elementwise_kernel<4, " + std::string(120, 'x') +
               std::to_string(i) + ">";
  return names;
}

recorder::SiteRef next_site() noexcept {
  static std::array<recorder::SiteRef, 50> sites{};
  static std::uint32_t turn = 0;
  recorder::SiteRef& site = sites[++turn % sites.size()];
  if (site == 0)
    site = recorder::intern_site(recorder::intern_name("train.py", 8), turn,
                                 recorder::intern_name("main", 4));
  return site;
}

class Program {
 public:
  void step() {
    recorder::begin_range(recorder::kLaneUser, HostKind::nvtx_range,
                          recorder::intern_name("step", 4), 0, 0, kNoSequence);
    for (int i = 0; i < kLaunchesOfAStep; ++i) launch(i);
    recorder::end_range(recorder::kLaneUser);
    usleep(5'000);
  }

 private:
  void launch(int i) {
    const auto stream = static_cast<std::uintptr_t>(7 + i % kStreams);
    const DriverLaunchParameters launch{.stream = handle(stream)};
    const std::uint32_t id = fake_cupti::call(Domain::driver, kDriverLaunch, &launch);
    const auto now = static_cast<std::uint64_t>(recorder::clock_ns(CLOCK_REALTIME));
    KernelRecord kernel =
        fake_cupti::kernel(names_[static_cast<std::size_t>(i * 7) % kKernels].c_str(), now,
                           now + 900, static_cast<std::uint32_t>(stream), id);
    kernel.grid[0] = i % 5 == 0 ? 64 : 8;  // a kernel comes in more than one size
    kernel.block[0] = 128;
    fake_cupti::state().waiting.push_back(kernel);
    if (i % 16 == 0) {
      const DriverCopyParameters copy{.count = 4096, .stream = handle(stream)};
      const std::uint32_t copied = fake_cupti::call(Domain::driver, kDriverCopyAsync, &copy);
      fake_cupti::state().waiting.push_back(
          fake_cupti::copy(1, 1, 3, 4096, now + 900, now + 1000, copied));
    }
    if (i % 32 == 0) {
      const EventParameters event{handle(0xe0), handle(stream)};
      fake_cupti::call(Domain::driver, kDriverRecord, &event);
    }
    if (fake_cupti::state().waiting.size() >= 3000) fake_cupti::state().flush();
  }

  std::array<std::string, kKernels> names_ = make_names();
};

double fact(const Trace& trace, const char* key) {
  return std::strtod(trace.data().processes[0].facts.at(key).c_str(), nullptr);
}

int record(const std::string& folder, int steps) {
  if (!recorder::start({.folder = folder.c_str(), .flush_ms = 50})) return 1;
  Options options;
  options.hooks.call_site = next_site;
  options.flush_ms = 3'600'000;  // the fake is not for two threads: the program flushes it
  if (!start_collector(fake_cupti::library(), options)) return 1;
  Program program;
  for (int i = 0; i < steps; ++i) program.step();
  recorder::stop_row_sources(5);
  recorder::finish(ExitReason::exited, 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 2;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("recorder_cost." + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "live");
  int status = record(folder.string(), steps);
  Result<TraceData> data = read_scope(folder);
  std::filesystem::remove_all(folder);
  if (status != 0 || !data) return 1;
  const Trace trace = Trace::build(std::move(*data));
  const auto events = static_cast<double>(trace.event_count());
  std::printf("%.0f events, dropped %llu: reading %.1f ns an event, all %.1f ns\n", events,
              static_cast<unsigned long long>(trace.health().dropped_records),
              fact(trace, "writer.decode_ns") / events, fact(trace, "writer.cpu_ns") / events);
  return trace.health().dropped_records == 0 ? 0 : 1;
}
