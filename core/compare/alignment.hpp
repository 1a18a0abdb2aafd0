// SPDX-License-Identifier: Apache-2.0
// The order-preserving pairing of two sequences with the greatest sum of scores, as of a diff of
// two texts. Internal to core/compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace stepscope::compare_parts {

using Pairing =
    std::vector<std::pair<std::size_t, std::size_t>>;  // places, ascending on both sides

// score(i, j) of place i of a and place j of b; 0 or less: they are no pair. A table of a byte for
// each pair of places is held.
template <class Score>
Pairing align(std::size_t a_size, std::size_t b_size, const Score& score) {
  enum Step : std::uint8_t { skip_a, skip_b, take };
  std::vector<Step> steps(a_size * b_size, skip_a);
  std::vector<double> below(b_size + 1, 0.0), here(b_size + 1, 0.0);  // best sums from (i, j) on
  for (std::size_t i = a_size; i-- > 0;) {
    for (std::size_t j = b_size; j-- > 0;) {
      const double value = score(i, j);
      const double taken = value > 0 ? value + below[j + 1] : -1;
      here[j] = std::max({taken, below[j], here[j + 1]});
      steps[i * b_size + j] = taken == here[j] ? take : below[j] == here[j] ? skip_a : skip_b;
    }
    std::swap(below, here);
    std::fill(here.begin(), here.end(), 0.0);
  }
  Pairing out;
  for (std::size_t i = 0, j = 0; i < a_size && j < b_size;) {
    const Step step = steps[i * b_size + j];
    if (step == take) out.emplace_back(i, j);
    if (step != skip_b) ++i;
    if (step != skip_a) ++j;
  }
  return out;
}

}  // namespace stepscope::compare_parts
