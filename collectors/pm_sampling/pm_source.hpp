// SPDX-License-Identifier: Apache-2.0
// PM sampling as rows: counters gpu.N.sm_active_percent, tensor_active_percent and the DRAM's rates
// (core/model/device_counter.hpp), one an interval, at its begin.
//
//   start    when the first device of the process has done work: a thread of its own, since CUPTI's
//            calls may take long and the rings must be emptied meanwhile
//   samples  that thread empties the hardware's buffers; the writer thread makes rows of them
//   stop     at the end of the process: the thread is waited for, but not for ever
//
// What CUPTI refuses is a note, and that device is left alone; the program and all else go on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <vector>

#include "collectors/pm_sampling/device_sampling.hpp"
#include "collectors/recorder/draining/row_source.hpp"

namespace stepscope::pm {

struct Options {
  std::uint32_t interval_us = 1000;
  std::uint32_t read_ms = 100;  // the hardware's buffers are emptied so often
  std::uint32_t stop_ms = 2000;
};

class PmSource final : public recorder::RowSource {
 public:
  PmSource(const Library& library, const Options& options) noexcept
      : library_(library), options_(options) {}

  // Adds a device that did recorded work, by its index in the process, once each. On the writer
  // thread.
  void add_device(std::uint32_t device) noexcept;
  bool due(std::int64_t now_ns) noexcept override;
  bool collect(EventBatch& batch, StoreWriter& store, bool last) noexcept override;
  double set_capturing(bool on) noexcept override;
  Totals totals() const noexcept override { return {.dropped = dropped_.load()}; }

 private:
  struct Taken {
    std::uint32_t device;
    Sample sample;
  };
  struct Orders {
    std::vector<std::uint32_t> new_devices;
    bool on;
    bool stop;
  };
  static constexpr std::size_t kMostWaiting = 65536;

  // Waits until the thread has ended and the devices are closed, stop_ms at most.
  void end_sampling() noexcept;
  static void end_before_libraries() noexcept;

  // The thread's.
  static void* thread_main(void* source);
  void run() noexcept;
  bool ends() noexcept;
  Orders wait_for_orders() noexcept;
  void open(std::uint32_t device) noexcept;
  void switch_devices(bool on) noexcept;
  bool start(DeviceSampling& device) noexcept;
  void read_all() noexcept;
  void hand_over(std::uint32_t device, bool overflowed) noexcept;
  bool is_plausible(const Sample& sample) noexcept;
  void note_once(bool& noted, const char* sentence) noexcept;
  void end_before_what_was_loaded() noexcept;

  Library library_;
  Options options_;
  std::list<DeviceSampling> devices_;
  std::vector<Sample> samples_;
  bool sampling_ = false, evaluated_ = false;
  bool noted_start_ = false, noted_overflow_ = false, noted_times_ = false;

  std::atomic<std::uint64_t> dropped_{0};
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::vector<std::uint32_t> wanted_;
  std::vector<Taken> ready_;
  bool on_ = true;
  bool stop_ = false;
  bool runs_ = false;
};

}  // namespace stepscope::pm
