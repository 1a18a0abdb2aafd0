// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace stepscope {

// How much more of this process's CPU time `work` takes for four times as many things: about 4 where its time grows
// with their number, about 16 where it grows with the number of pairs. A ratio of one run holds on a slow machine and
// under a sanitizer, where a limit in seconds does not. work(count) runs once for each of the two counts.
template <class Work>
double cpu_growth(int count, const Work& work) {
  const auto clocks = [&work](int of) {
    const std::clock_t before = std::clock();
    work(of);
    return static_cast<double>(std::clock() - before);
  };
  const double few = clocks(count / 4);
  return clocks(count) / few;
}

constexpr double kGrowthOfPairs = 8;

}  // namespace stepscope
