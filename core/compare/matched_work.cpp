// SPDX-License-Identifier: Apache-2.0
#include "core/compare/matched_work.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace stepscope::compare_parts {
namespace {

ScaledSide with_phases_of(ScaledSide a, const ScaledSide& b, std::vector<std::string>& own) {
  for (const WorkItem& item : a.items) own.push_back(item.phase);
  rename_phases(a.items, b.items);
  return a;
}

}  // namespace

Scales scales_of(const Summary& a, const Summary& b, const CompareOptions& options) {
  Scales out;
  const std::uint64_t n_a = a.partition.steps_counted;
  const std::uint64_t n_b = b.partition.steps_counted;
  out.steps = std::min(n_a, n_b);
  if (out.steps == 0) return out;
  if (n_a != out.steps) out.a = static_cast<double>(out.steps) / static_cast<double>(n_a);
  if (n_b != out.steps) out.b = static_cast<double>(out.steps) / static_cast<double>(n_b);
  if (!options.a_samples || !options.b_samples) return out;
  const double smaller = std::min(*options.a_samples, *options.b_samples);
  out.a *= smaller / *options.a_samples;
  out.b *= smaller / *options.b_samples;
  return out;
}

MatchedWork::MatchedWork(const Summary& of_a, const Summary& of_b, const Scales& scales)
    : b(scale(of_b, scales.b)),
      a(with_phases_of(scale(of_a, scales.a), b, a_phases)),
      lines({a.items, of_a.counts, of_a.sources}, {b.items, of_b.counts, of_b.sources}),
      groups(match_work(a.items, b.items, lines)) {}

namespace {

using Paths = std::set<std::string>;

Paths paths_of(const std::vector<WorkItem>& items) {
  Paths out;
  for (const WorkItem& item : items) out.insert(item.phase);
  return out;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0: the whole of a path without a slash
}

std::map<std::string, std::vector<std::string>> missing_in(const Paths& of, const Paths& other) {
  std::map<std::string, std::vector<std::string>> out;
  for (const std::string& path : of)
    if (!other.contains(path)) out[last_part(path)].push_back(path);
  return out;
}

}  // namespace

void rename_phases(std::vector<WorkItem>& a, const std::vector<WorkItem>& b) {
  const Paths of_a = paths_of(a);
  const Paths of_b = paths_of(b);
  const auto only_b = missing_in(of_b, of_a);
  std::map<std::string, std::string> names;
  for (const auto& [last, paths] : missing_in(of_a, of_b)) {
    const auto other = only_b.find(last);
    if (paths.size() == 1 && other != only_b.end() && other->second.size() == 1)
      names[paths.front()] = other->second.front();
  }
  for (WorkItem& item : a)
    if (const auto name = names.find(item.phase); name != names.end()) item.phase = name->second;
}

}  // namespace stepscope::compare_parts
