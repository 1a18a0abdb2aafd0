// SPDX-License-Identifier: Apache-2.0
// Finds a number that at least `wanted` of some keys reach, and few more: one that at most `enough`
// reach, or the greatest of all where equal keys leave none such.
//
//   for (RankSearch<...> search(...); !search.done();) {
//     count the keys that search.holds() in bins search.bin(key), kRankBins of them
//     search.chose(the bin that holds the search.wanted()-th greatest of these)
//   }
//
// A level divides the range [low, last] in which the number is known to lie into bins of equal
// width; the next one divides the bin that was chosen. look_near() makes a level's bins narrower
// than the range needs: then the first and the last also take all that lies before and behind.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

constexpr int kRankBinBits = 8;
constexpr std::uint32_t kRankBins = 1U << kRankBinBits;

struct RankBin {
  std::uint32_t bin;
  std::uint32_t above;  // keys in bins above it
  std::uint32_t size;   // keys in it
};

template <class Key>
class RankSearch {
 public:
  // `at_low` keys are >= low, at least `wanted` of them; none is > last >= low.
  STEPSCOPE_HOST_DEVICE constexpr RankSearch(Key low, Key last, std::uint32_t at_low,
                                             std::uint32_t wanted, std::uint32_t enough)
      : low_(low), last_(last), at_low_(at_low), wanted_(wanted), enough_(enough) {
    divide_range();
  }
  // The next level's bins are 2^shift wide, and the first one ends so far behind `begin`.
  STEPSCOPE_HOST_DEVICE constexpr void look_near(Key begin, int shift) {
    begin_ = begin < low_ || begin > last_ ? low_ : begin;
    shift_ = shift;
  }

  STEPSCOPE_HOST_DEVICE constexpr bool done() const { return at_low_ <= enough_ || low_ == last_; }
  STEPSCOPE_HOST_DEVICE constexpr bool holds(Key key) const { return low_ <= key && key <= last_; }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t bin(Key key) const {
    if (key < begin_) return 0;
    const Key bin = (key - begin_) >> shift_;
    return bin < kRankBins ? static_cast<std::uint32_t>(bin) : kRankBins - 1;
  }
  // Returns the wanted rank, at least 1.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t wanted() const { return wanted_ - above_; }
  STEPSCOPE_HOST_DEVICE constexpr void chose(const RankBin& chosen) {
    const Key begin = begin_ + (Key{chosen.bin} << shift_);  // a key is not below it: no overflow
    const Key width = (Key{1} << shift_) - 1;
    if (chosen.bin < kRankBins - 1 && width < last_ - begin) last_ = begin + width;
    if (chosen.bin > 0) low_ = begin;
    above_ += chosen.above;
    at_low_ = above_ + chosen.size;
    divide_range();
  }

  STEPSCOPE_HOST_DEVICE constexpr Key low() const { return low_; }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t at_low() const { return at_low_; }

 private:
  STEPSCOPE_HOST_DEVICE static constexpr int bit_width(Key key) {
#ifdef __CUDA_ARCH__
    return sizeof(Key) == 8 ? 64 - __clzll(static_cast<long long>(key))
                            : 32 - __clz(static_cast<int>(key));
#else
    return static_cast<int>(std::bit_width(key));
#endif
  }
  STEPSCOPE_HOST_DEVICE constexpr void divide_range() {
    const int bits = bit_width(last_ - low_);
    begin_ = low_;
    shift_ = bits > kRankBinBits ? bits - kRankBinBits : 0;
  }

  Key low_, last_;
  Key begin_ = 0;
  int shift_ = 0;
  std::uint32_t at_low_, wanted_, enough_;
  std::uint32_t above_ = 0;  // keys > last
};

}  // namespace stepscope::kernels
