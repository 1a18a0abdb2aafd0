// SPDX-License-Identifier: Apache-2.0
// What a thread did when the sampler looked at it: two of the bits of Samples::flags. 0: not told
// (traces of before this, and workers).
//
// Such a sample is taken at any moment, also while the thread records, so it stands for that moment
// and not for what follows. A thread that has slept since its last row has no further ones until it
// wakes; then the last moment at which it was seen asleep has a row, too.
#pragma once

#include <cstdint>

namespace stepscope {

enum SampleDoing : std::uint8_t {
  kSampleRan = 32,    // it had a core
  kSampleWaits = 64,  // it was ready to run and waited for a core
  kSampleSlept = 96,
  kSampleDoing = 96,  // mask
};

// With kSampleSlept, of a thread that is no worker of a DataLoader: it slept in a call that writes,
// or that reads a file. In a worker's row the same bit says that it made a batch.
inline constexpr std::uint8_t kSampleInFile = 8;

}  // namespace stepscope
