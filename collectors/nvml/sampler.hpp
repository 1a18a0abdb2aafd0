// SPDX-License-Identifier: Apache-2.0
// Samples clocks, power, temperature and memory of the process's devices, beside the program.
//
//   start    when the first device of the process has done work: a thread of its own, since a call
//            of NVML may take milliseconds and the rings must be emptied meanwhile. Low priority,
//            signals blocked, never in a forked child
//   samples  thread -> ReadingQueue -> counters "gpu.N.NAME" on the writer thread, once a second
//   stop     at the end of the process, before the libraries are taken down: the thread may be
//            inside NVML still, so it is waited for, but not for ever
//
// The thread works for at most a tenth of the time: where a round takes long, rounds become rarer.
// nvmlShutdown is never called: the program may use NVML itself, which counts its users.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collectors/nvml/device_reader.hpp"
#include "collectors/nvml/fork_gate.hpp"
#include "collectors/nvml/nvml_library.hpp"
#include "collectors/recorder/draining/row_source.hpp"
#include "core/model/entities.hpp"

namespace stepscope::nvml {

struct Options {
  std::uint32_t period_ms = 100;
  FoundLibrary (*find)() noexcept = find_library;
};

class SampledDevices;

class Sampler final : public recorder::RowSource {
 public:
  explicit Sampler(const Options& options) : options_(options) {}

  // On the writer thread.
  bool due(std::int64_t now_ns) noexcept override;
  bool collect(EventBatch& batch, StoreWriter& store, bool last) noexcept override;
  Totals totals() const noexcept override { return {.dropped = queue_.dropped()}; }
  // A device that this process uses, once each.
  void add_device(const Device& device) noexcept;

  // Any thread, also where nothing runs. True: the thread has ended.
  bool stop(int milliseconds) noexcept;

 private:
  static constexpr std::size_t kMostDevices = 64;
  struct Wanted {
    std::uint32_t device;
    std::array<char, 64> uuid;
  };

  // Called before every use of NVML by the thread, with gate_.leave() behind it; false: the thread
  // is to end.
  bool enter_nvml() noexcept;
  static void* thread_main(void* sampler);
  void run() noexcept;
  bool start_library(Library& library) noexcept;
  void sample(const Library& library) noexcept;
  bool add_wanted(SampledDevices& devices) noexcept;  // true: there were new ones
  void sleep(std::int64_t ns) noexcept;
  StringId track_of(std::uint32_t device, std::size_t counter, StoreWriter& store);

  Options options_;
  ForkGate gate_;
  std::uint32_t known_ = 0;  // entries of wanted_ that the thread has seen
  ReadingQueue queue_;
  std::array<Wanted, kMostDevices> wanted_{};
  std::atomic<std::uint32_t> wanted_count_{0};
  std::atomic<int> running_in_{0};  // the process whose thread runs; 0: none
  std::atomic<std::uint32_t> stop_{0};
  std::atomic<std::uint32_t> done_{0};
  std::int64_t last_collect_ns_ = 0;
  std::array<std::array<StringId, kDeviceCounters>, kMostDevices> tracks_{};  // 0: not yet
};

}  // namespace stepscope::nvml
