// SPDX-License-Identifier: Apache-2.0
#include "core/importers/rounded_times.hpp"

#include <fmt/format.h>

#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kFewestEvents = 100;
constexpr std::int64_t kMicrosecond_ns = 1'000;
constexpr std::int64_t kMuchFiner = 8;  // lengths, than begins
constexpr std::size_t kMostAtOnce = 20;
constexpr double kMuchTime = 0.01;  // share of the device's time

// The greatest number that all are multiples of, seen from the first; 0: all are the same. Where it is
// less than a microsecond any such number will do. Records without a time begin at 0.
std::int64_t grain_of(const std::vector<std::int64_t>& times) {
  std::int64_t grain = 0, first = 0;
  for (const std::int64_t time : times) {
    if (time == 0) continue;
    if (first == 0) first = time;
    if (grain == 0 || (time - first) % grain != 0) grain = std::gcd(grain, time - first);
    if (grain != 0 && grain < kMicrosecond_ns) break;
  }
  return grain;
}

std::vector<std::int64_t> lengths_of(const std::vector<std::int64_t>& begins,
                                     const std::vector<std::int64_t>& ends) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < begins.size(); ++i)
    if (begins[i] != 0 && ends[i] > begins[i]) out.push_back(ends[i] - begins[i]);
  return out;
}

std::int64_t grain_of_lengths(const std::vector<std::int64_t>& lengths) {
  std::int64_t grain = 0;
  for (const std::int64_t length : lengths)
    if (grain == 0 || length % grain != 0) grain = std::gcd(grain, length);
  return grain;
}

std::string shown_grain(std::int64_t ns) {
  return format_duration(static_cast<double>(ns));
}

// Ranges of a thread that begin within another one and end behind it, which rounding makes.
std::size_t crossing_ranges(const HostRanges& h) {
  std::unordered_map<ThreadId, std::vector<std::int64_t>> open;  // ends, the outermost first
  std::size_t out = 0;
  for (RangeId range = 0; range < h.size(); ++range) {
    std::vector<std::int64_t>& ends = open[h.thread[range]];
    while (!ends.empty() && ends.back() <= h.begin[range]) ends.pop_back();
    out += !ends.empty() && h.end[range] > ends.back() ? 1U : 0U;
    ends.push_back(h.end[range]);
  }
  return out;
}

void note_whole_microseconds(TraceData& data, const std::vector<std::int64_t>& lengths) {
  const auto sum =
      static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  const auto records = static_cast<double>(data.device_ops.size());
  const double half = records * static_cast<double>(kMicrosecond_ns) / 2;
  if (half <= kMuchTime * sum) return;
  data.health.notes.push_back(
      fmt::format("the times of this file are whole microseconds: with half of one for each record "
                  "the device's "
                  "time is {:.0f} % more than is said here, if its writer cut them off",
                  100 * half / sum));
}

}  // namespace

Status check_rounded_times(TraceData& data) {
  const HostRanges& h = data.host_ranges;
  const std::size_t events = h.size() + data.device_ops.size();
  if (events < kFewestEvents || h.size() == 0) return Done{};
  const std::int64_t begins = grain_of(h.begin);
  if (begins != 0 && begins < kMicrosecond_ns) return Done{};
  const std::int64_t finer = grain_of_lengths(lengths_of(h.begin, h.end));
  const bool rounded = begins == 0 || (begins > kMicrosecond_ns && finer * kMuchFiner <= begins);
  const std::size_t moments =
      rounded ? std::unordered_set<std::int64_t>(h.begin.begin(), h.begin.end()).size() : h.size();
  if (rounded && moments * kMostAtOnce < h.size())
    return bad_input(
        fmt::format("the {} events of the host begin at {} moments alone: their times (\"ts\") "
                    "were rounded when "
                    "the file was written, so their order is lost. Write all digits of them",
                    h.size(), moments));
  if (rounded && (2 * moments < h.size() || kMostAtOnce * crossing_ranges(h) > h.size()))
    data.health.notes.push_back(fmt::format(
        "all begins of this file are multiples of {}, and lengths are not: they were rounded when "
        "it was written. Each time here is off by up to that, and what is shorter is a guess",
        shown_grain(begins)));
  else if (begins == kMicrosecond_ns && finer == kMicrosecond_ns)
    note_whole_microseconds(data, lengths_of(data.device_ops.begin, data.device_ops.end));
  return Done{};
}

}  // namespace stepscope
