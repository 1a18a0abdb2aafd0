// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/phase_families.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kDigits = "0123456789";

// A name in pieces: text, number, text, ...
std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> out;
  while (!name.empty()) {
    const bool number = out.size() % 2 == 1;
    const std::size_t size = std::min(
        number ? name.find_first_not_of(kDigits) : name.find_first_of(kDigits), name.size());
    out.push_back(name.substr(0, size));
    name.remove_prefix(size);
  }
  return out;
}

std::string without_numbers(std::string_view name) {
  std::string out;
  const std::vector<std::string_view> pieces = pieces_of(name);
  for (std::size_t i = 0; i < pieces.size(); ++i) out += i % 2 == 1 ? "#" : pieces[i];
  return out;
}

// Numbers that all names have in common stay.
std::string common_name(const std::vector<std::string_view>& names) {
  std::vector<std::string_view> common = pieces_of(names.front());
  for (const std::string_view name : names) {
    const std::vector<std::string_view> pieces = pieces_of(name);
    for (std::size_t i = 1; i < pieces.size(); i += 2)
      if (pieces[i] != common[i]) common[i] = "#";
  }
  std::string out;
  for (const std::string_view piece : common) out += piece;
  return out;
}

struct Family {
  std::set<StringId> names;
  std::map<std::size_t, std::set<StringId>> in_step;
};

std::map<std::string, Family> families_of(const Trace& trace, const Steps& steps) {
  const HostRanges& h = trace.host_ranges();
  std::map<std::string, Family> out;
  std::unordered_map<StringId, Family*> known;
  for (RangeId range = 0; range < h.size(); ++range) {
    if (!is_annotation(h.kind[range])) continue;
    const auto [at, is_new] = known.try_emplace(h.name[range], nullptr);
    const std::string_view name = trace.text(h.name[range]);
    if (is_new && name.find_first_of(kDigits) != std::string_view::npos)
      at->second = &out[without_numbers(name)];
    if (at->second == nullptr) continue;
    const auto step =
        std::upper_bound(steps.list.begin(), steps.list.end(), h.begin[range],
                         [](std::int64_t t, const Step& s) { return t < s.host.end; });
    at->second->names.insert(h.name[range]);
    at->second->in_step[static_cast<std::size_t>(step - steps.list.begin())].insert(h.name[range]);
  }
  return out;
}

// How many of the names the median step holds that holds any.
std::int64_t usual_in_step(const Family& family) {
  std::vector<std::int64_t> counts;
  for (const auto& [step, names] : family.in_step)
    counts.push_back(static_cast<std::int64_t>(names.size()));
  return median(counts);
}

}  // namespace

PhaseFamilies::PhaseFamilies(const Trace& trace, const Steps& steps) : trace_(trace) {
  for (const auto& [key, family] : families_of(trace, steps)) {
    const auto all = static_cast<std::int64_t>(family.names.size());
    if (all < 2 || 2 * usual_in_step(family) > all) continue;
    std::vector<std::string_view> names;
    for (const StringId name : family.names) names.push_back(trace.text(name));
    const std::string common = common_name(names);
    for (const StringId name : family.names) family_of_[name] = common;
  }
}

std::string PhaseFamilies::name_of(StringId range_name) const {
  const auto at = family_of_.find(range_name);
  return at == family_of_.end() ? std::string(trace_.text(range_name)) : at->second;
}

}  // namespace stepscope
