// SPDX-License-Identifier: Apache-2.0
#include "core/gate/rank_bound.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace stepscope {
namespace {

constexpr std::size_t kExactRuns = 60;

std::vector<double> cumulative(std::vector<double> chances) {
  double sum = 0;
  for (double& chance : chances) chance = sum += chance;
  return chances;
}

// A normal distribution of the same mean and variance over 0..last.
std::vector<double> normal_steps(std::size_t last, double mean, double variance) {
  std::vector<double> out;
  for (std::size_t value = 0; value <= last; ++value) {
    const double z = (static_cast<double>(value) + 0.5 - mean) / std::sqrt(variance);
    out.push_back(0.5 * std::erfc(-z / std::sqrt(2.0)));
  }
  return out;
}

// P(U_{m,n} = u) = m/(m+n) P(U_{m-1,n} = u-n) + n/(m+n) P(U_{m,n-1} = u): by which side holds the
// largest value. The row over n is carried from m-1 to m.
std::vector<double> exact_mann_whitney(std::size_t m, std::size_t n) {
  std::vector<std::vector<double>> row(n + 1, std::vector<double>{1.0});
  for (std::size_t i = 1; i <= m; ++i) {
    std::vector<std::vector<double>> next(n + 1, std::vector<double>{1.0});
    for (std::size_t j = 1; j <= n; ++j) {
      next[j].assign(i * j + 1, 0.0);
      const double both = static_cast<double>(i + j);
      for (std::size_t u = 0; u < row[j].size(); ++u)
        next[j][u + j] += static_cast<double>(i) / both * row[j][u];
      for (std::size_t u = 0; u < next[j - 1].size(); ++u)
        next[j][u] += static_cast<double>(j) / both * next[j - 1][u];
    }
    row = std::move(next);
  }
  return row[n];
}

std::vector<double> exact_signed_rank(std::size_t n) {
  std::vector<double> out(n * (n + 1) / 2 + 1, 0.0);
  out[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t w = out.size(); w-- > 0;)
      out[w] = out[w] / 2 + (w >= rank ? out[w - rank] / 2 : 0);
  return out;
}

// Simulations and policies ask for the same sizes again and again.
template <class Key, class Make>
const std::vector<double>& remembered(std::map<Key, std::vector<double>>& known, std::mutex& mutex,
                                      const Key& key, Make make) {
  const std::scoped_lock lock(mutex);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, make()).first->second;
}

const std::vector<double>& distribution_of(const RatioSample& sample) {
  using Sizes = std::pair<std::size_t, std::size_t>;
  static std::map<Sizes, std::vector<double>> known;  // {n, 0}: pairs
  static std::mutex mutex;
  const Sizes sizes{sample.baseline.size(), sample.paired ? 0 : sample.candidate.size()};
  return remembered(known, mutex, sizes, [&] {
    return sample.paired ? signed_rank_distribution(sizes.first)
                         : mann_whitney_distribution(sizes.first, sizes.second);
  });
}

std::vector<double> pair_ratios(const RatioSample& sample) {
  std::vector<double> single;
  for (std::size_t i = 0; i < std::min(sample.baseline.size(), sample.candidate.size()); ++i)
    single.push_back(sample.candidate[i] / sample.baseline[i]);
  return single;
}

// Returns, in order, the ratios of all runs of one side to all of the other, or the Walsh means of
// pairs.
std::vector<double> ratios_of(const RatioSample& sample) {
  std::vector<double> out;
  if (sample.paired) {
    const std::vector<double> single = pair_ratios(sample);
    for (std::size_t i = 0; i < single.size(); ++i)
      for (std::size_t j = i; j < single.size(); ++j)
        out.push_back(std::sqrt(single[i] * single[j]));
  } else {
    for (const double c : sample.candidate)
      for (const double b : sample.baseline) out.push_back(c / b);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Returns how many of the lowest ratios lie below the bound: the largest k with P(U < k) <= level.
std::size_t below_bound(const RatioSample& sample, double level) {
  if (sample.baseline.empty() || sample.candidate.empty()) return 0;
  const std::vector<double>& chances = distribution_of(sample);
  const auto above = std::upper_bound(chances.begin(), chances.end(), level * (1 + 1e-9));
  return static_cast<std::size_t>(above - chances.begin());
}

}  // namespace

std::vector<double> mann_whitney_distribution(std::size_t m, std::size_t n) {
  if (m <= kExactRuns && n <= kExactRuns) return cumulative(exact_mann_whitney(m, n));
  const double mn = static_cast<double>(m) * static_cast<double>(n);
  return normal_steps(m * n, mn / 2, mn * static_cast<double>(m + n + 1) / 12);
}

std::vector<double> signed_rank_distribution(std::size_t n) {
  if (n <= kExactRuns) return cumulative(exact_signed_rank(n));
  const double sum = static_cast<double>(n) * static_cast<double>(n + 1);
  return normal_steps(n * (n + 1) / 2, sum / 4, sum * static_cast<double>(2 * n + 1) / 24);
}

std::optional<double> lowest_ratio(const RatioSample& sample, double level) {
  const std::size_t k = below_bound(sample, level);
  const std::vector<double> ratios = ratios_of(sample);
  if (k == 0 || k > ratios.size()) return std::nullopt;
  return ratios[k - 1];
}

std::optional<double> highest_ratio(const RatioSample& sample, double level) {
  const std::size_t k = below_bound(sample, level);
  const std::vector<double> ratios = ratios_of(sample);
  if (k == 0 || k > ratios.size()) return std::nullopt;
  return ratios[ratios.size() - k];
}

double middle_ratio(const RatioSample& sample) {
  const std::vector<double> ratios = ratios_of(sample);
  if (ratios.empty()) return 1;
  const std::size_t half = ratios.size() / 2;
  return ratios.size() % 2 == 1 ? ratios[half] : std::sqrt(ratios[half - 1] * ratios[half]);
}

// The number of ratios above is distributed as the statistic, which is symmetric: P(U >= u) is
// P(U <= last - u).
double chance_of_ratio(const RatioSample& sample, double ratio) {
  const std::vector<double> ratios = ratios_of(sample);
  if (ratios.empty()) return 1;
  const auto not_above = static_cast<std::size_t>(
      std::upper_bound(ratios.begin(), ratios.end(), ratio) - ratios.begin());
  return distribution_of(sample)[not_above];
}

}  // namespace stepscope
