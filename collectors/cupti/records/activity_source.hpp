// SPDX-License-Identifier: Apache-2.0
// The path of activity records: CUPTI fills buffers on threads of the program and its own; the
// writer thread flushes and decodes them and hands them back.
//
// There is one set of buffers a process, since CUPTI's functions for them know no context.
#pragma once

#include <cstdint>
#include <optional>

#include "collectors/cupti/collector.hpp"
#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/cupti/records/device_records.hpp"
#include "collectors/cupti/records/heartbeat.hpp"
#include "collectors/recorder/draining/row_source.hpp"
#include "core/model/entities.hpp"

namespace stepscope::cupti {

// `bare`: records are thrown away where they come.
Status register_buffers(const Library& library, bool bare) noexcept;

class ActivitySource final : public recorder::RowSource {
 public:
  ActivitySource(const Library& library, const Options& options);

  bool due(std::int64_t now_ns) noexcept override;
  bool collect(EventBatch& batch, StoreWriter& store, bool last) noexcept override;
  double set_capturing(bool on) noexcept override;
  bool has_what_later_work_changes() noexcept override;
  bool is_on() const noexcept override { return on_; }
  Totals totals() const noexcept override {
    return {dropped_, records_.zero_timestamps(), vendor_ns_};
  }

 private:
  bool may_flush() const noexcept;
  bool flush_when_due() noexcept;
  void look_for_records(EventBatch& batch, StoreWriter& store) noexcept;
  void note_own_refusal(Status refusal) noexcept;
  void stop() noexcept;
  void flush(std::uint32_t flag) noexcept;
  void describe_devices(StoreWriter& store) noexcept;
  void count_dropped(void* context, std::uint32_t stream) noexcept;

  Library library_;
  std::int64_t flush_ns_;
  void (*on_device_)(const Device& device) noexcept;
  std::int64_t last_flush_ns_;  // CLOCK_MONOTONIC
  DeviceRecords records_;
  Heartbeat heartbeat_;
  std::uint64_t dropped_ = 0;
  std::int64_t vendor_ns_ = 0;
  bool layers_;
  // Which layers the current window records, if `layers_`: 1 all, 2 kinds alone, 3 light, 4 kinds
  // and empty callbacks, 5 all, with the runtime's callbacks of calls that are left to the driver.
  int turn_ = 0;
  bool on_ = true;
  bool noted_refusal_ = false;
  bool flushes_;
  int idle_flushes_ = 0;         // since it was switched off
  std::uint64_t described_ = 0;  // devices, a bit each
  bool stopped_ = false;
};

// Name, memory and size of the devices that a process uses, asked of the driver that it has mapped.

// Nothing where the driver does not answer (it may be shutting down).
std::optional<Device> device_facts(std::uint32_t index) noexcept;

}  // namespace stepscope::cupti
