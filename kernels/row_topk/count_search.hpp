// SPDX-License-Identifier: Apache-2.0
// Finds a number that at least `wanted` of some keys reach, and few more, by counting alone: one
// that at most `enough` reach, or the greatest of all where equal keys leave none such.
//
//   for (CountSearch<...> search(...); !search.done();) {
//     const Key probe = search.probe();
//     search.counted(probe, how many keys are >= probe);
//   }
//
// A first guess that is near needs few rounds: from it the search goes on in growing steps until it
// has passed the place, then it halves.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

template <class Key>
class CountSearch {
 public:
  // `at_low` keys are >= low, at least `wanted` of them; fewer than `wanted` are >= high > low.
  STEPSCOPE_HOST_DEVICE constexpr CountSearch(Key low, Key high, std::uint32_t at_low,
                                              std::uint32_t wanted, std::uint32_t enough)
      : low_(low), high_(high), at_low_(at_low), wanted_(wanted), enough_(enough) {}

  STEPSCOPE_HOST_DEVICE constexpr void guess(Key key) {
    next_ = key;
    step_ = 1;
  }

  STEPSCOPE_HOST_DEVICE constexpr bool done() const {
    return at_low_ <= enough_ || high_ - low_ == 1;
  }
  STEPSCOPE_HOST_DEVICE constexpr Key probe() const {
    if (step_ > 0 && low_ < next_ && next_ < high_) return next_;
    return low_ + (high_ - low_) / 2;
  }
  STEPSCOPE_HOST_DEVICE constexpr void counted(Key probe, std::uint32_t count) {
    const bool rises = count >= wanted_;
    if (moved_ && rises != rose_) step_ = 0;
    moved_ = true;
    rose_ = rises;
    if (rises) {
      low_ = probe;
      at_low_ = count;
      next_ = probe + step_;
    } else {
      high_ = probe;
      next_ = probe - step_;
    }
    step_ *= 2;
  }

  STEPSCOPE_HOST_DEVICE constexpr Key low() const { return low_; }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t at_low() const { return at_low_; }

 private:
  Key low_, high_;
  std::uint32_t at_low_, wanted_, enough_;
  Key next_ = 0, step_ = 0;  // step 0: halve
  bool moved_ = false, rose_ = false;
};

}  // namespace stepscope::kernels
