// SPDX-License-Identifier: Apache-2.0
// Maps a stream's handle to the recorder's StreamRef: CUPTI is asked once a stream, then a call
// costs one lock-free look-up. A destroyed stream is forgotten, because its handle may be used
// again.
//
// Handles that mean another stream on each thread (per-thread default streams) are asked for each
// time, and looked up by CUPTI's id, so that such a stream too has one StreamRef.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::cupti {

class StreamIds {
 public:
  // kNoStream where CUPTI does not know it.
  recorder::StreamRef find(const Library& library, void* context, std::uint32_t context_uid,
                           void* stream, bool per_thread_default) noexcept;
  // Forgets the stream in every context: the callback of its destruction names its context by a
  // handle that is not kept.
  void forget_everywhere(void* stream) noexcept;

 private:
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::size_t kProbes = 16;
  struct Slot {
    std::atomic<std::uint64_t> key{0};
    std::atomic<recorder::StreamRef> ref{0};
  };
  std::array<Slot, kSlots> slots_{};
};

}  // namespace stepscope::cupti
