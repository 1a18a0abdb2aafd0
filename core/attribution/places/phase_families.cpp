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

constexpr std::size_t kFewestOfAnId = 8;  // hexadecimal digits

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_of_a_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The length of an id that begins here: an address (0x7f41), a hash or a UUID; 0: none does.
std::size_t id_at(std::string_view name, std::size_t at) {
  if (at > 0 && is_of_a_word(name[at - 1])) return 0;
  const bool is_address = name.substr(at).starts_with("0x");
  std::size_t end = at + (is_address ? 2 : 0), digits = 0, numerals = 0;
  for (std::size_t i = end; i < name.size() && (is_hexadecimal(name[i]) || name[i] == '-'); ++i) {
    if (name[i] == '-') continue;
    end = i + 1;
    ++digits;
    numerals += is_digit(name[i]) ? 1U : 0U;
  }
  const bool is_whole = end == name.size() || !is_of_a_word(name[end]);
  const bool is_id = is_address ? digits > 0 : digits >= kFewestOfAnId && numerals > 0;
  return is_whole && is_id ? end - at : 0;
}

std::size_t number_at(std::string_view name, std::size_t at) {
  if (const std::size_t id = id_at(name, at); id > 0) return id;
  const std::size_t end = std::min(name.find_first_not_of(kDigits, at), name.size());
  return end - at;
}

// A name in pieces: text, number, text, ...
std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> out;
  std::size_t text = 0;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t size = number_at(name, at);
    if (size == 0) {
      ++at;
      continue;
    }
    out.push_back(name.substr(text, at - text));
    out.push_back(name.substr(at, size));
    text = at += size;
  }
  out.push_back(name.substr(text));
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
