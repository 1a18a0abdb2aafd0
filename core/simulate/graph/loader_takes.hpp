// SPDX-License-Identifier: Apache-2.0
// Each time that the loop's thread asks a DataLoader with workers for its next batch: one range of
// PyTorch's own around the loader's __next__, whatever is recorded inside of it: batches that come
// out of turn are unpacked while the loop waits for the one whose turn it is. Loaders are distinguished
// by the line that asks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attribution/walked_process.hpp"

namespace stepscope {

struct LoaderTake {
  Interval time;
  std::uint32_t loader = 0;
};

class LoaderTakes {
 public:
  explicit LoaderTakes(const WalkedProcess& walked);

  std::span<const LoaderTake> all() const { return takes_; }  // in order of time
  std::uint32_t loaders() const { return loaders_; }
  // The take that holds this moment; nullptr where none does.
  const LoaderTake* at(std::int64_t time) const;

 private:
  std::vector<LoaderTake> takes_;
  std::uint32_t loaders_ = 0;
};

}  // namespace stepscope
