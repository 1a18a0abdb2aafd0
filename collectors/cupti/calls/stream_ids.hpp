// SPDX-License-Identifier: Apache-2.0
// From a stream's handle to the recorder's StreamRef: asked of CUPTI once a stream, then one
// lock-free look-up a call. A destroyed stream is forgotten, for its handle may come again.
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
  // Of every context: who destroys a stream says which it was in by a handle that is not kept.
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
