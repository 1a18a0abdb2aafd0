// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/summary/job/shared_clocks.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

constexpr std::size_t kWindows = 16;
constexpr std::size_t kLeastPerWindow = 8;
constexpr double kHuber = 1.345;
constexpr int kHuberRounds = 10;

struct EndDifference {
  std::int64_t time;        // by the host's own clock
  std::int64_t difference;  // its end less that of the first host
  std::int64_t transfer;    // how long the rank took part that came last
  std::int64_t error;       // how far the clock may be off by which it is told
};
using EndDifferences = std::vector<EndDifference>;

// The mean of ends that lie near each other.
struct MeanEnd {
  std::int64_t first = 0, sum_behind_first = 0, count = 0;

  void add(std::int64_t end) {
    if (count++ == 0) first = end;
    sum_behind_first += end - first;
  }
  std::int64_t mean() const { return first + sum_behind_first / count; }
};

// The ends of hosts whose clocks are not known yet, by those that are.
class EndDifferencesFinder {
 public:
  EndDifferencesFinder(const std::vector<RankRecord>& ranks, const Matches& matches)
      : ranks_(ranks), matches_(matches), ends_(matches.clocks.size()), out_(ends_.size()) {
    for (const JobCollective& collective : matches.collectives) add(collective);
    for (EndDifferences& points : out_)
      std::sort(points.begin(), points.end(),
                [](const EndDifference& a, const EndDifference& b) { return a.time < b.time; });
  }
  std::vector<EndDifferences> take() { return std::move(out_); }

 private:
  std::uint32_t clock_of(const Member& m) const { return matches_.clock_of_rank[m.rank]; }

  void add(const JobCollective& collective) {
    const auto known =
        std::find_if(collective.members.begin(), collective.members.end(),
                     [this](const Member& m) { return matches_.clock(m.rank).known; });
    if (known == collective.members.end()) return;
    std::int64_t transfer = std::numeric_limits<std::int64_t>::max();
    for (const Member& m : collective.members) {
      const Interval time = ranks_[m.rank].collectives[m.use].time;
      ends_[clock_of(m)].add(time.end);
      transfer = std::min(transfer, time.length());
    }
    const HostClock& by = matches_.clock(known->rank);
    const std::int64_t first = by.to_first(ends_[clock_of(*known)].mean());
    for (const Member& m : collective.members) {
      const MeanEnd own = std::exchange(ends_[clock_of(m)], {});
      if (own.count == 0 || matches_.clock(m.rank).known) continue;
      out_[clock_of(m)].push_back({own.mean(), own.mean() - first, transfer, by.error_ns});
    }
  }

  const std::vector<RankRecord>& ranks_;
  const Matches& matches_;
  std::vector<MeanEnd> ends_;
  std::vector<EndDifferences> out_;  // by clock
};

std::int64_t median_difference(const EndDifferences& points, std::size_t begin, std::size_t end) {
  std::vector<std::int64_t> values;
  for (std::size_t i = begin; i < end; ++i) values.push_back(points[i].difference);
  return median(std::move(values));
}

// The median slope of the lines through each two windows' medians; nothing where they are few.
std::optional<double> drift_of(const EndDifferences& points) {
  const std::size_t windows = std::min(kWindows, points.size() / kLeastPerWindow);
  if (windows < 3) return std::nullopt;
  std::vector<std::pair<double, double>> medians;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::size_t begin = w * points.size() / windows;
    const std::size_t end = (w + 1) * points.size() / windows;
    const std::size_t middle = (begin + end) / 2;
    medians.emplace_back(static_cast<double>(points[middle].time - points[0].time),
                         static_cast<double>(median_difference(points, begin, end)));
  }
  std::vector<double> slopes;
  for (std::size_t a = 0; a < windows; ++a) {
    for (std::size_t b = a + 1; b < windows; ++b) {
      const double run = medians[b].first - medians[a].first;
      if (run > 0) slopes.push_back((medians[b].second - medians[a].second) / run);
    }
  }
  if (slopes.empty()) return std::nullopt;
  return median_of(std::move(slopes));
}

// Fits a clock to points, around clock.at_ns.
class ClockFit {
 public:
  ClockFit(const EndDifferences& points, HostClock& clock) : points_(points), clock_(clock) {
    const std::optional<double> drift = drift_of(points);
    has_drift_ = drift.has_value();
    clock.at_ns = points[points.size() / 2].time;
    clock.drift = drift.value_or(0);
    std::vector<std::int64_t> level;
    for (const EndDifference& p : points) level.push_back(std::llround(residual(p)));
    clock.offset_ns = static_cast<double>(median(level));
    // 1.4826 makes a standard deviation of a median absolute one.
    most_ = kHuber * std::max(1.0, 1.4826 * static_cast<double>(median_absolute_deviation(level)));
    for (int round = 0; round < kHuberRounds; ++round) refine();
    clock.collectives = points.size();
    clock.error_ns = 1 + points.front().error + std::llround(error());
    clock.known = true;
  }

 private:
  double since(const EndDifference& p) const { return static_cast<double>(p.time - clock_.at_ns); }
  double residual(const EndDifference& p) const {
    return static_cast<double>(p.difference) - clock_.offset_ns - clock_.drift * since(p);
  }

  struct Sums {
    double weight = 0, x = 0, xx = 0, r = 0, xr = 0;
    double spread() const { return xx - x * x / weight; }
  };

  Sums weighted() const {
    Sums out;
    for (const EndDifference& p : points_) {
      const double x = since(p), r = residual(p);
      const double weight = std::min(1.0, most_ / std::max(1e-9, std::abs(r)));
      out.weight += weight;
      out.x += weight * x;
      out.xx += weight * x * x;
      out.r += weight * r;
      out.xr += weight * x * r;
    }
    return out;
  }

  void refine() {
    const Sums sums = weighted();
    const double slope = has_drift_ && sums.spread() > 0
                             ? (sums.xr - sums.x * sums.r / sums.weight) / sums.spread()
                             : 0;
    clock_.drift += slope;
    clock_.offset_ns += (sums.r - slope * sums.x) / sums.weight;
  }

  // Two ends say nothing of their scatter, but that it is less than the transfer. Student's t lies above
  // 1.96 by about 2.4 over the degrees of freedom.
  double error() const {
    if (points_.size() < 3)
      return static_cast<double>(std::max(points_.front().transfer, points_.back().transfer));
    const auto n = static_cast<double>(points_.size());
    const double freedom = std::max(1.0, n - (has_drift_ ? 2 : 1));
    double squares = 0, inside = 0;
    for (const EndDifference& p : points_) {
      const double r = std::min(most_, std::abs(residual(p)));
      squares += r * r;
      inside += r < most_ ? 1 : 0;
    }
    const double standard_error = std::sqrt(squares / freedom * n) / std::max(1.0, inside);
    return (1.96 + 2.4 / freedom) * standard_error * at_its_ends();
  }

  // How many times as uncertain the line is there as in its middle.
  double at_its_ends() const {
    const Sums sums = weighted();
    if (!has_drift_ || sums.spread() <= 0) return 1;
    const double middle = sums.x / sums.weight;
    const double farthest =
        std::max(middle - since(points_.front()), since(points_.back()) - middle);
    return std::sqrt(1 + farthest * farthest * sums.weight / sums.spread());
  }

  const EndDifferences& points_;
  HostClock& clock_;
  bool has_drift_ = false;
  double most_ = 0;  // a residual beyond it pulls no harder
};

void name_clocks(const std::vector<RankRecord>& ranks, const std::vector<std::uint32_t>& leaders,
                 Matches& out) {
  std::map<std::uint32_t, std::uint32_t> row;  // by leader
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const auto at = static_cast<std::uint32_t>(out.clocks.size());
    const auto [known, is_new] = row.try_emplace(leaders[r], at);
    out.clock_of_rank.push_back(known->second);
    if (!is_new) continue;
    const std::string& name = ranks[r].clock_name();
    const bool again = std::any_of(out.clocks.begin(), out.clocks.end(),
                                   [&](const HostClock& c) { return c.host == name; });
    out.clocks.push_back({.host = again ? fmt::format("{} (rank {})", name, ranks[r].rank) : name,
                          .known = out.clocks.empty()});
  }
}

}  // namespace

void find_clocks(const std::vector<RankRecord>& ranks, Matches& out) {
  const std::vector<std::uint32_t> leaders = clock_leaders(ranks, out.collectives);
  name_clocks(ranks, leaders, out);
  out.clock_notes = clock_notes(ranks, leaders);
  for (bool found = true; found;) {
    found = false;
    const std::vector<EndDifferences> differences = EndDifferencesFinder(ranks, out).take();
    for (std::size_t clock = 0; clock < out.clocks.size(); ++clock) {
      if (out.clocks[clock].known || differences[clock].empty()) continue;
      ClockFit(differences[clock], out.clocks[clock]);
      found = true;
    }
  }
}

}  // namespace stepscope::job
