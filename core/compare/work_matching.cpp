// SPDX-License-Identifier: Apache-2.0
#include "core/compare/work_matching.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>

namespace stepscope::compare_parts {
namespace {

using Key = std::tuple<std::string, std::size_t, int, std::string>;
constexpr std::size_t kAnyLine = static_cast<std::size_t>(-1);
constexpr int kNoCause = -1;
// Largest ratio of two times that may belong to the same work.
constexpr std::int64_t kComparableTimes = 10;

struct Keys {  // what identifies an item in every pass
  std::string phase;
  std::size_t line = 0;  // with its direction: what a line computes and its gradient are two works
  int cause = 0;
  const std::string* operation = nullptr;
  std::string family;
  std::string cause_family;  // "gpu", "copy", ...
  std::int64_t ns = 0;
  bool idle = false;
};

// A pass gives an item's key, or nothing where it does not look at such an item.
struct Pass {
  bool for_idle;
  bool replaces;
  bool one_line;  // groups with several lines on a side are not taken
  std::function<Key(const Keys&)> key;
};

const std::vector<Pass>& passes() {
  static const std::vector<Pass> kPasses = {
      {false, false, false,
       [](const Keys& k) {
         return Key{k.phase, k.line, k.cause, *k.operation};
       }},
      {false, false, false,
       [](const Keys& k) {
         return Key{k.phase, k.line, k.cause, k.family};
       }},
      {true, false, false,
       [](const Keys& k) {
         return Key{k.phase, k.line, k.cause, ""};
       }},
      {false, false, false,
       [](const Keys& k) {
         return Key{k.phase, kAnyLine, k.cause, *k.operation};
       }},
      {false, false, false,
       [](const Keys& k) {
         return Key{k.phase, kAnyLine, k.cause, k.family};
       }},
      {false, false, true,
       [](const Keys& k) {
         return Key{k.phase, kAnyLine, k.cause, ""};
       }},
      {false, true, false,
       [](const Keys& k) {
         return Key{k.phase, k.line, kNoCause, k.cause_family};
       }},
  };
  return kPasses;
}

Keys keys_of(const WorkItem& item, std::size_t line) {
  return {item.phase,
          line * kDirectionNames.size() + static_cast<std::size_t>(item.direction),
          static_cast<int>(index_of(item.cause)),
          &item.operation,
          kernel_family(item.operation),
          std::string(name_of(item.cause).substr(0, name_of(item.cause).find('.'))),
          item.ns,
          is_idle_cause(item.cause)};
}

struct Matcher {
  std::vector<Keys> a, b;
  std::vector<bool> a_done, b_done;
  std::vector<WorkGroup> groups;

  static bool is_one_line(const std::vector<Keys>& keys, const std::vector<std::size_t>& places) {
    return std::all_of(places.begin(), places.end(),
                       [&](std::size_t i) { return keys[i].line == keys[places.front()].line; });
  }

  static std::int64_t time_of(const std::vector<Keys>& keys,
                              const std::vector<std::size_t>& places) {
    std::int64_t sum = 0;
    for (const std::size_t i : places) sum += keys[i].ns;
    return sum;
  }

  bool is_taken_by(const Pass& pass, const WorkGroup& group) const {
    if (group.a.empty() || group.b.empty()) return false;
    if (pass.one_line && !(is_one_line(a, group.a) && is_one_line(b, group.b))) return false;
    const auto [least, most] = std::minmax({time_of(a, group.a), time_of(b, group.b)});
    return !(pass.replaces || pass.one_line) || most <= kComparableTimes * least;
  }

  void run(const Pass& pass) {
    std::map<Key, WorkGroup> found;
    const auto collect = [&](const std::vector<Keys>& keys, const std::vector<bool>& done,
                             std::vector<std::size_t> WorkGroup::*side) {
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (!done[i] && (pass.for_idle || !keys[i].idle))
          (found[pass.key(keys[i])].*side).push_back(i);
    };
    collect(a, a_done, &WorkGroup::a);
    collect(b, b_done, &WorkGroup::b);
    for (auto& [key, group] : found) {
      if (!is_taken_by(pass, group)) continue;
      for (const std::size_t i : group.a) a_done[i] = true;
      for (const std::size_t i : group.b) b_done[i] = true;
      group.replaced = pass.replaces;
      groups.push_back(std::move(group));
    }
  }

  // Work of one side alone, by operation; idle time, by line and cause.
  void add_left_over(const std::vector<Keys>& keys, const std::vector<bool>& done,
                     std::vector<std::size_t> WorkGroup::*side) {
    std::map<Key, WorkGroup> left;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Keys& k = keys[i];
      if (!done[i])
        (left[{k.phase, k.line, k.cause, k.idle ? "" : *k.operation}].*side).push_back(i);
    }
    for (auto& [key, group] : left) groups.push_back(std::move(group));
  }
};

}  // namespace

std::vector<WorkGroup> match_work(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b,
                                  const LineMatching& lines) {
  Matcher matcher;
  for (const WorkItem& item : a) matcher.a.push_back(keys_of(item, lines.of_a(item)));
  for (const WorkItem& item : b) matcher.b.push_back(keys_of(item, lines.of_b(item)));
  matcher.a_done.assign(a.size(), false);
  matcher.b_done.assign(b.size(), false);
  for (const Pass& pass : passes()) matcher.run(pass);
  matcher.add_left_over(matcher.a, matcher.a_done, &WorkGroup::a);
  matcher.add_left_over(matcher.b, matcher.b_done, &WorkGroup::b);
  return std::move(matcher.groups);
}

namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

// The text outside of <...> and up to the parameter list.
std::string outside_brackets(std::string_view name) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>') {
      depth -= depth > 0 ? 1 : 0;
    } else if (depth == 0 && name[i] == '(') {
      break;
    } else if (depth == 0) {
      out += name[i];
    }
  }
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string kernel_family(std::string_view name) {
  std::string stem = outside_brackets(name);
  if (stem.empty()) stem = name;  // "<lambda>" and the like
  if (stem.starts_with("void ")) stem.erase(0, 5);
  if (const auto scope = stem.rfind("::"); scope != std::string::npos) stem.erase(0, scope + 2);
  std::string out;
  for (const char c : stem) {
    if (!is_digit(c)) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

}  // namespace stepscope::compare_parts
