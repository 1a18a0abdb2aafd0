// SPDX-License-Identifier: Apache-2.0
// The activity kinds that are ours: those of every level, and those that level deep adds. Once a
// process. The kinds that make every CUDA call slower are in neither (docs/design/recording.md).
#pragma once

#include <span>

#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/recorder/level.hpp"

namespace stepscope::cupti {

// Switches the kinds on. Returns an error where CUPTI refuses a kind that is indispensable; a
// refused kind whose absence matters gets a note. `bare`: only the device's kinds. `Begin::later`:
// kinds are selected and not yet switched on, because once a kind was on, launches stay slower in
// this process (CUPTI 13.0: by some 1 us; docs/measurements/overhead.md).
enum class Begin : std::uint8_t { now, later };
struct KindOptions {
  Level level = Level::standard;
  bool bare = false;
  Begin begin = Begin::now;
  bool whole_graphs = false;  // a record a launch of a CUDA graph, none of its nodes
  bool device = true;         // its work
  bool overhead = true;       // the profiler's own
};
Status enable_kinds(const Library& library, const KindOptions& options) noexcept;

void disable_kinds(const Library& library) noexcept;

// Those that were chosen.
std::span<const ActivityKind> our_kinds() noexcept;

}  // namespace stepscope::cupti
