// SPDX-License-Identifier: Apache-2.0
#include "core/findings/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr std::size_t kMostEvents = 3;
constexpr std::size_t kMostPlaces = 20;
constexpr double kLeastOfAPlace = 0.01;  // share of the finding's time

template <class Key>
std::vector<std::pair<std::int64_t, Key>> by_size(const std::map<Key, std::int64_t>& sums) {
  std::vector<std::pair<std::int64_t, Key>> out;
  for (const auto& [key, ns] : sums) out.emplace_back(ns, key);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return out;
}

// The loop's thread's first range from this time on.
RangeId next_range(const JudgedRun& run, std::int64_t time) {
  if (run.steps.thread >= run.trace.data().threads.size()) return kNone;
  const HostRanges& h = run.trace.host_ranges();
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  const auto begin = h.begin.begin();
  const auto at = std::lower_bound(begin + rows.begin, begin + rows.end, time);
  return at == begin + rows.end ? kNone : static_cast<RangeId>(at - begin);
}

}  // namespace

Price::Price(const JudgedRun& run)
    : run_(run),
      sites_(run.trace.data().sites.size() + 1, 0),
      phases_(run.attribution.phases.size(), 0) {}

void Price::add(SiteId site, PhaseId phase, std::int64_t ns, Event event) {
  if (ns <= 0) return;
  total_ += ns;
  sites_[std::min<std::size_t>(site, sites_.size() - 1)] += ns;
  phases_[phase] += ns;
  if (events_.size() < kMostEvents || events_.back().first < ns) keep_if_long(ns, event);
}

void Price::keep_if_long(std::int64_t ns, Event event) {
  const std::string name = event.op != kNone      ? fmt::format("d{}", event.op)
                           : event.range != kNone ? fmt::format("h{}", event.range)
                                                  : "";
  const bool known = std::any_of(events_.begin(), events_.end(),
                                 [&](const auto& other) { return other.second == name; });
  if (name.empty() || known) return;
  const auto at = std::upper_bound(events_.begin(), events_.end(), ns,
                                   [](std::int64_t a, const auto& b) { return a > b.first; });
  events_.insert(at, {ns, name});
  if (events_.size() > kMostEvents) events_.pop_back();
}

std::map<SiteId, std::int64_t> Price::by_site() const {
  std::map<SiteId, std::int64_t> out;
  for (SiteId site = 0; site + 1 < sites_.size(); ++site)
    if (sites_[site] > 0) out[site] = sites_[site];
  if (sites_.back() > 0) out[kNone] = sites_.back();
  return out;
}

std::map<PhaseId, std::int64_t> Price::by_phase() const {
  std::map<PhaseId, std::int64_t> out;
  for (PhaseId phase = 0; phase < phases_.size(); ++phase)
    if (phases_[phase] > 0) out[phase] = phases_[phase];
  return out;
}

void Price::add(const Segment& s, std::int64_t ns) {
  add(s.site, s.phase, ns, {s.host_evidence, s.device_evidence});
  if (s.host_evidence != kNone || s.device_evidence != kNone) return;
  silences_.push_back(s.time);
  std::stable_sort(silences_.begin(), silences_.end(),
                   [](Interval a, Interval b) { return a.length() > b.length(); });
  if (silences_.size() > kMostEvents) silences_.pop_back();
}

// Silences hold no record: what the device did next stands for them, without one the host. They stand
// for the price where the longest of them is longer than any event.
std::vector<std::string> Price::evidence() const {
  std::vector<std::string> out;
  if (silences_.empty() ||
      (!events_.empty() && events_.front().first >= silences_.front().length())) {
    for (const auto& [ns, name] : events_) out.push_back(name);
    return out;
  }
  const auto& begins = run_.trace.device_ops().begin;
  for (const Interval& silence : silences_) {
    const auto next = std::lower_bound(begins.begin(), begins.end(), silence.end);
    const RangeId range = next_range(run_, silence.end);
    if (next == begins.end() && range == kNone) continue;
    const std::string name = next == begins.end() ? fmt::format("h{}", range)
                                                  : fmt::format("d{}", next - begins.begin());
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

PhaseId Price::largest_phase() const {
  const auto phases = by_size(by_phase());
  return phases.empty() ? 0 : phases.front().second;
}

std::vector<SiteId> Price::largest_sites(double share) const {
  std::vector<SiteId> out;
  for (const auto& [ns, site] : by_size(by_site())) {
    if (site != kNone && static_cast<double>(ns) >= share * static_cast<double>(total_))
      out.push_back(site);
  }
  return out;
}

std::vector<FindingPlace> Price::places(double scale) const {
  std::map<std::tuple<std::string_view, std::uint32_t, SiteKind, std::string_view>, std::int64_t>
      lines;
  for (const auto& [site, ns] : by_site()) {
    if (site == kNone) continue;
    const Site& at = run_.trace.data().sites[site];
    lines[{run_.trace.text(at.file), at.line, at.kind, run_.trace.text(at.function)}] += ns;
  }
  std::vector<FindingPlace> out;
  for (const auto& [ns, key] : by_size(lines)) {
    const auto& [file, line, kind, function] = key;
    const auto time = static_cast<double>(ns);
    const bool is_little = time < kLeastOfAPlace * static_cast<double>(total_);
    if (out.size() == kMostPlaces || (is_little && !out.empty())) break;
    out.push_back({std::string(file), line, kind, std::string(function), scale * time});
  }
  return out;
}

Finding Price::finding(double caused_ns_per_step) const {
  Finding out;
  out.phase = run_.phase_name(largest_phase());
  const auto total = static_cast<double>(total_);
  out.places = places(total > 0 ? caused_ns_per_step / total : 0);
  const std::int64_t lost = sites_.back();
  if (total > 0) out.link_rate = 1 - static_cast<double>(lost) / total;
  out.caused_ns_per_step = out.ceiling_ns_per_step = caused_ns_per_step;
  out.evidence = evidence();
  return out;
}

void set_ops(Fix& fix, std::vector<DeviceOpId> ops, std::string_view id) {
  std::erase(ops, kNone);
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  fix.scope.ops = std::move(ops);
  fix.finding = id;
}

std::string percent(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0);
}

}  // namespace stepscope::rules
