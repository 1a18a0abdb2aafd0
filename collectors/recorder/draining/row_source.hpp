// SPDX-License-Identifier: Apache-2.0
// Something that makes whole rows by itself, away from the rings: device activity. The writer
// thread asks it; it never runs on the program's threads. A process has a few: kMaxRowSources.
#pragma once

#include <cstdint>

#include "core/store/writer/batch.hpp"
#include "core/store/writer/writer.hpp"

namespace stepscope::recorder {

class RowSource {
 public:
  // Whether it has, or may have, rows to give by now (CLOCK_MONOTONIC).
  virtual bool due(std::int64_t now_ns) noexcept = 0;
  // Adds rows to the batch, some 16 k at most; true where more are waiting. `last`: nothing is
  // asked afterwards, so everything that exists is given and the source stops.
  virtual bool collect(EventBatch& batch, StoreWriter& store, bool last) noexcept = 0;

  // The user's plan: whether new work is to be recorded from now on. Returns what the counter of
  // the capture says then: above 0 where it is, 1 as usual.
  virtual double set_capturing(bool on) noexcept { return on ? 1 : 0; }
  // Before it is switched off: whether it has all records of what was launched that later work would
  // change. Where not, it asks for them; the writer thread collects and comes again.
  virtual bool has_what_later_work_changes() noexcept { return true; }
  // Whether the last switch was on; asked once, where the writer thread first sees the source.
  virtual bool is_on() const noexcept { return true; }

  // Whether switching it on and off takes part in a change of the capture, which then waits for it.
  virtual bool follows_capture() const noexcept { return true; }

  // Whether a forked child has it too; the device's are the parent's.
  virtual bool outlives_fork() const noexcept { return false; }

  struct Totals {
    std::uint64_t dropped = 0;
    std::uint64_t zero_timestamps = 0;
    std::int64_t vendor_ns = 0;  // CPU time inside the vendor's library, waiting for its records
  };
  virtual Totals totals() const noexcept = 0;

 protected:
  ~RowSource() = default;
};

inline constexpr std::uint32_t kMaxRowSources = 8;

// Adds a source, which is asked from then on until the sources are stopped; it must live as long as
// the process. False: there are as many as there may be.
bool add_row_source(RowSource* source) noexcept;
// Asks each a last time, on the writer thread, in the order in which they were added, and waits for
// that at most so long. For an end of the device before the end of the process.
void stop_row_sources(int seconds) noexcept;

}  // namespace stepscope::recorder
