// SPDX-License-Identifier: Apache-2.0
// Each time that the loop's thread asks a DataLoader with workers for its next batch: one range of
// PyTorch's own around the loader's __next__, whatever is recorded inside of it: batches that come
// out of turn are unpacked while the loop waits for the one whose turn it is. Loaders are distinguished
// by the line that asks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attribution/process_index.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

struct LoaderTake {
  Interval time;
  std::uint32_t loader = 0;
};

// How the steps ask loaders without workers.
struct AskedLoaders {
  std::vector<std::size_t> asks;  // by step
  std::size_t usual = 0;          // the median

  // The loop over a loader begins anew where it asks once more than usual.
  bool begins(std::size_t step) const { return usual > 0 && asks[step] == usual + 1; }
};
AskedLoaders asked_loaders(const ProcessIndex& index, const Steps& steps);

class LoaderTakes {
 public:
  explicit LoaderTakes(const ProcessIndex& index);

  std::span<const LoaderTake> all() const { return takes_; }  // in order of time
  std::uint32_t loaders() const { return loaders_; }
  // The take that holds this moment; nullptr where none does.
  const LoaderTake* at(std::int64_t time) const;

 private:
  std::vector<LoaderTake> takes_;
  std::uint32_t loaders_ = 0;
};

// Where the loop over a loader with workers begins anew: two takes of that loader behind each other, of
// which the first got no batch.
struct EpochBegin {
  std::size_t last = 0,
              first = 0;  // rows of the takes: the one that ended the epoch before, and the next
};

// Returns them in order of time. A step that takes once more than steps do in the median holds such a
// take. The pair is the one of those that begin in it between which the loop's thread
// recorded least like what it usually records from one take to the next: that is a step's work. Where a
// loader is taken from three times and more in some steps and not at all in those between, the loop
// over it lies within the step, and begins anew in each of these.
std::vector<EpochBegin> epoch_begins(const ProcessIndex& index, const Steps& steps,
                                     const LoaderTakes& takes);

}  // namespace stepscope
