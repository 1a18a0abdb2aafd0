// SPDX-License-Identifier: Apache-2.0
#include "core/gate/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace stepscope {
namespace {

struct Split {
  std::size_t at = 0;  // within its part
  double quality = 0;
};

// All splits of a part, with the tables that every shuffle of it needs again. Q of [0, a) against
// [a, a + b) is, of the sums of distances within both and across (each pair twice within),
//   Q = (2 across - (b / (a - 1)) left - (a / (b - 1)) right) / (a + b)
class SplitSearch {
 public:
  explicit SplitSearch(std::size_t size)
      : size_(size), inverse_(size + 1, 0.0), within_(size + 1, 0.0), to_(size, 0.0) {
    for (std::size_t i = 1; i <= size; ++i) inverse_[i] = 1 / static_cast<double>(i);
  }

  // The best one, or the first that is as good as `enough`. The part is long enough for one.
  Split best(const std::vector<double>& part, double enough) {
    set_within(part);
    std::fill(to_.begin(), to_.end(), 0.0);
    Split out{0, -std::numeric_limits<double>::infinity()};
    for (std::size_t at = 1; at + kShortestLevel <= size_; ++at) {
      for (std::size_t i = at; i < size_; ++i) to_[i] += std::abs(part[i] - part[at - 1]);
      if (at < kShortestLevel) continue;
      const double quality = best_end(at);
      if (quality > out.quality) out = {at, quality};
      if (quality >= enough) break;
    }
    return out;
  }

 private:
  // within_[n]: the sum of distances among the first n values.
  void set_within(const std::vector<double>& part) {
    for (std::size_t n = 1; n <= size_; ++n) {
      double sum = 0;
      for (std::size_t i = 0; i + 1 < n; ++i) sum += std::abs(part[n - 1] - part[i]);
      within_[n] = within_[n - 1] + 2 * sum;
    }
  }

  // to_[i] holds the sum of distances of value i to the first `at` ones.
  double best_end(std::size_t at) const {
    const double a = static_cast<double>(at);
    const double left = within_[at];
    double across = 0;
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t end = at + 1; end <= size_; ++end) {
      across += to_[end - 1];
      const std::size_t length = end - at;
      if (length < kShortestLevel) continue;
      const double b = static_cast<double>(length);
      const double right = within_[end] - left - 2 * across;
      const double sum =
          2 * across - b * inverse_[at - 1] * left - a * inverse_[length - 1] * right;
      best = std::max(best, sum * inverse_[end]);
    }
    return best;
  }

  std::size_t size_;
  std::vector<double> inverse_, within_, to_;
};

void shuffle(std::vector<double>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[static_cast<std::size_t>(random() % i)]);
}

// Ends early where the chance cannot come down to the level any more.
double chance_of(std::vector<double> part, double quality, double level, SplitSearch& search) {
  const auto shuffles = static_cast<std::size_t>(std::ceil(std::max(1'000.0, 2 / level)));
  std::mt19937_64 random(1);
  std::size_t as_good = 1;
  for (std::size_t done = 1; done <= shuffles; ++done) {
    shuffle(part, random);
    // The same values in another order give the same sums but for rounding.
    const double enough = quality * (1 - 1e-9);
    if (search.best(part, enough).quality >= enough) ++as_good;
    const bool hopeless = static_cast<double>(as_good) > level * static_cast<double>(shuffles + 1);
    if (hopeless) return static_cast<double>(as_good) / static_cast<double>(done + 1);
  }
  return static_cast<double>(as_good) / static_cast<double>(shuffles + 1);
}

void divide(const std::vector<double>& series, std::size_t begin, std::size_t end, double level,
            std::vector<ChangePoint>& out) {
  const std::vector<double> part(series.begin() + static_cast<std::ptrdiff_t>(begin),
                                 series.begin() + static_cast<std::ptrdiff_t>(end));
  if (part.size() < 2 * kShortestLevel) return;
  SplitSearch search(part.size());
  const Split split = search.best(part, std::numeric_limits<double>::infinity());
  if (split.quality <= 0) return;
  const double chance = chance_of(part, split.quality, level, search);
  if (chance > level) return;
  divide(series, begin, begin + split.at, level, out);
  out.push_back({begin + split.at, chance});
  divide(series, begin + split.at, end, level, out);
}

}  // namespace

std::optional<std::size_t> fewest_of_level(std::size_t length, double level) {
  double orders = 1;
  for (std::size_t k = 1; 2 * k <= length; ++k) {
    orders *= static_cast<double>(length - k + 1) / static_cast<double>(k);
    if (k >= kShortestLevel && orders * level >= 4) return k;
  }
  return std::nullopt;
}

std::size_t shortest_series(double level) {
  std::size_t length = 2 * kShortestLevel;
  while (!fewest_of_level(length, level)) ++length;
  return length;
}

std::vector<ChangePoint> change_points(const std::vector<double>& series, double level) {
  std::vector<ChangePoint> out;
  divide(series, 0, series.size(), level, out);
  return out;
}

}  // namespace stepscope
