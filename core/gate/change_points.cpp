// SPDX-License-Identifier: Apache-2.0
#include "core/gate/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

namespace stepscope {
namespace {

struct Split {
  std::size_t at = 0;  // within its part
  double quality = 0;
};

// Sums of distances |x - y| over all x before `i` and y before `j`, for all i and j.
class DistanceSums {
 public:
  explicit DistanceSums(const std::vector<double>& values)
      : size_(values.size() + 1), sums_(size_ * size_, 0.0) {
    for (std::size_t i = 1; i < size_; ++i)
      for (std::size_t j = 1; j < size_; ++j)
        sums_[i * size_ + j] = std::abs(values[i - 1] - values[j - 1]) + at(i - 1, j) +
                               at(i, j - 1) - at(i - 1, j - 1);
  }
  double at(std::size_t i, std::size_t j) const { return sums_[i * size_ + j]; }

 private:
  std::size_t size_;
  std::vector<double> sums_;
};

// Q of [0, at) against [at, end).
double quality_of(const DistanceSums& sums, std::size_t at, std::size_t end) {
  const double a = static_cast<double>(at), b = static_cast<double>(end - at);
  const double left = sums.at(at, at);  // each pair twice
  const double right = sums.at(end, end) - 2 * sums.at(at, end) + left;
  const double across = sums.at(at, end) - left;
  const double energy = 2 * across / (a * b) - left / (a * (a - 1)) - right / (b * (b - 1));
  return energy * a * b / (a + b);
}

std::optional<Split> best_split(const std::vector<double>& part) {
  const std::size_t n = part.size();
  if (n < 2 * kShortestLevel) return std::nullopt;
  const DistanceSums sums(part);
  std::optional<Split> best;
  for (std::size_t at = kShortestLevel; at + kShortestLevel <= n; ++at) {
    for (std::size_t end = at + kShortestLevel; end <= n; ++end) {
      const double quality = quality_of(sums, at, end);
      if (!best || quality > best->quality) best = Split{at, quality};
    }
  }
  return best;
}

void shuffle(std::vector<double>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[static_cast<std::size_t>(random() % i)]);
}

// Ends early where the chance cannot come down to the level any more.
double chance_of(std::vector<double> part, double quality, double level) {
  const auto shuffles = static_cast<std::size_t>(std::ceil(std::max(1'000.0, 5 / level)));
  std::mt19937_64 random(1);
  std::size_t as_good = 1;
  for (std::size_t done = 1; done <= shuffles; ++done) {
    shuffle(part, random);
    // The same values in another order give the same sums but for rounding.
    if (best_split(part)->quality >= quality * (1 - 1e-9)) ++as_good;
    const bool hopeless =
        static_cast<double>(as_good) > level * static_cast<double>(shuffles + 1) + 1;
    if (hopeless) return static_cast<double>(as_good) / static_cast<double>(done + 1);
  }
  return static_cast<double>(as_good) / static_cast<double>(shuffles + 1);
}

void divide(const std::vector<double>& series, std::size_t begin, std::size_t end, double level,
            std::vector<ChangePoint>& out) {
  const std::vector<double> part(series.begin() + static_cast<std::ptrdiff_t>(begin),
                                 series.begin() + static_cast<std::ptrdiff_t>(end));
  const std::optional<Split> split = best_split(part);
  if (!split || split->quality <= 0) return;
  const double chance = chance_of(part, split->quality, level);
  if (chance > level) return;
  divide(series, begin, begin + split->at, level, out);
  out.push_back({begin + split->at, chance});
  divide(series, begin + split->at, end, level, out);
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& series, double level) {
  std::vector<ChangePoint> out;
  divide(series, 0, series.size(), level, out);
  return out;
}

}  // namespace stepscope
