// SPDX-License-Identifier: Apache-2.0
#include "core/compare/delta_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <tuple>

namespace stepscope::compare_parts {
namespace {

struct SideSum {
  std::int64_t ns = 0;
  double calls = 0;
  std::set<std::string> operations;
};

SideSum sum_of(const std::vector<WorkItem>& items, const std::vector<std::size_t>& places) {
  SideSum sum;
  for (const std::size_t i : places) {
    sum.ns += items[i].ns;
    sum.calls += items[i].calls;
    if (!items[i].operation.empty()) sum.operations.insert(items[i].operation);
  }
  return sum;
}

std::string name_of_operations(const std::set<std::string>& names) {
  if (names.empty()) return "";
  return names.size() == 1 ? *names.begin() : fmt::format("{} operations", names.size());
}

// Each side's work by that side's names: B may call otherwise what A does.
std::string name_of_operations(const SideSum& a, const SideSum& b) {
  if (a.operations == b.operations || a.operations.empty()) return name_of_operations(b.operations);
  const std::string of_a = name_of_operations(a.operations);
  return b.operations.empty() ? of_a
                              : fmt::format("{} -> {}", of_a, name_of_operations(b.operations));
}

const WorkItem* longest_of(const std::vector<WorkItem>& items,
                           const std::vector<std::size_t>& places) {
  const auto at = std::max_element(places.begin(), places.end(), [&](std::size_t i, std::size_t j) {
    return std::abs(items[i].ns) < std::abs(items[j].ns);
  });
  return at == places.end() ? nullptr : &items[*at];
}

// B's place, unless it is not known or next to nothing is left there of what A has.
bool stands_in_b(const WorkItem* a, const WorkItem* b) {
  constexpr std::int64_t kNextToNothing = 20;  // 1 / this of A's is next to nothing
  if (a == nullptr || b == nullptr) return b != nullptr;
  if (a->file.empty() != b->file.empty()) return a->file.empty();
  return b->ns * kNextToNothing >= a->ns;
}

// Makes the part of a group at the place where its most time is.
DeltaPart part_at(const DeltaInput& in, const WorkGroup& group) {
  const WorkItem* in_a = longest_of(in.a, group.a);
  const WorkItem* in_b = longest_of(in.b, group.b);
  const bool of_b = stands_in_b(in_a, in_b);
  const WorkItem& item = of_b ? *in_b : *in_a;
  DeltaPart part;
  part.cause = item.cause;
  part.phase = item.phase;
  part.file = item.file;
  part.line = item.line;
  part.function = item.function;
  part.direction = item.direction;
  const LinePair& pair = in.lines.pairs()[of_b ? in.lines.of_b(item) : in.lines.of_a(item)];
  part.line_in_both = !pair.a.first.empty() && !pair.b.first.empty();
  if (of_b) return part;
  if (pair.b.first.empty()) return part;
  part.file = pair.b.first;  // the line is still there, without this work
  part.line = pair.b.second;
  if (!pair.b_function.empty()) part.function = pair.b_function;
  return part;
}

std::uint64_t rounded(double calls) {
  return static_cast<std::uint64_t>(std::llround(calls));
}

class PartList {
 public:
  explicit PartList(const DeltaInput& in) : in_(in) {}

  void add(const WorkGroup& group, std::uint32_t number) {
    const SideSum a = sum_of(in_.a, group.a);
    const SideSum b = sum_of(in_.b, group.b);
    DeltaPart part = part_at(in_, group);
    part.op = name_of_operations(a, b);
    part.a_ns = a.ns;
    part.b_ns = b.ns;
    part.a_calls = rounded(a.calls);
    part.b_calls = rounded(b.calls);
    part.group = number;
    if (is_idle_cause(part.cause)) return append(part, DeltaKind::idle, b.ns - a.ns);
    if (group.a.empty()) return append(part, DeltaKind::added, b.ns);
    if (group.b.empty()) return append(part, DeltaKind::removed, -a.ns);
    split(part, a, b);
  }

  std::vector<DeltaPart> sorted() && {
    std::sort(parts_.begin(), parts_.end(), [](const DeltaPart& x, const DeltaPart& y) {
      const auto key = [](const DeltaPart& p) {
        return std::tuple(-std::abs(p.delta_ns), index_of(p.cause), p.phase, p.file, p.line,
                          p.direction, p.op, p.kind, p.delta_ns);
      };
      return key(x) < key(y);
    });
    return std::move(parts_);
  }

 private:
  void append(DeltaPart part, DeltaKind kind, std::int64_t delta) {
    if (delta == 0) return;
    part.kind = kind;
    part.delta_ns = delta;
    parts_.push_back(std::move(part));
  }

  void split(const DeltaPart& part, const SideSum& a, const SideSum& b) {
    const std::int64_t delta = b.ns - a.ns;
    if (a.calls <= 0 || b.calls <= 0) return append(part, DeltaKind::per_call, delta);
    const double a_mean = static_cast<double>(a.ns) / a.calls;
    const double b_mean = static_cast<double>(b.ns) / b.calls;
    const std::int64_t by_count = std::llround((b.calls - a.calls) * (a_mean + b_mean) / 2);
    append(part, DeltaKind::count, by_count);
    append(part, DeltaKind::per_call, delta - by_count);
  }

  const DeltaInput& in_;
  std::vector<DeltaPart> parts_;
};

// A group whose causes differ is one part a side and cause: removed here, added there.
std::vector<WorkGroup> by_side_and_cause(const DeltaInput& in, const WorkGroup& group) {
  std::map<Cause, WorkGroup> a;
  std::map<Cause, WorkGroup> b;
  for (const std::size_t i : group.a) a[in.a[i].cause].a.push_back(i);
  for (const std::size_t i : group.b) b[in.b[i].cause].b.push_back(i);
  std::vector<WorkGroup> out;
  for (auto& [cause, part] : a) out.push_back(std::move(part));
  for (auto& [cause, part] : b) out.push_back(std::move(part));
  return out;
}

bool other_operations(const SideSum& a, const SideSum& b) {
  return a.operations != b.operations;
}

}  // namespace

std::vector<DeltaPart> delta_parts(const DeltaInput& input) {
  PartList parts(input);
  for (std::size_t i = 0; i < input.groups.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    if (!input.groups[i].replaced) {
      parts.add(input.groups[i], number);
      continue;
    }
    for (const WorkGroup& part : by_side_and_cause(input, input.groups[i])) parts.add(part, number);
  }
  return std::move(parts).sorted();
}

std::vector<Replacement> replacements(const DeltaInput& input, std::uint64_t steps) {
  std::vector<Replacement> out;
  const double n = static_cast<double>(std::max<std::uint64_t>(1, steps));
  for (const WorkGroup& group : input.groups) {
    if (group.a.empty() || group.b.empty() || is_idle_cause(input.b[group.b.front()].cause))
      continue;
    const SideSum a = sum_of(input.a, group.a);
    const SideSum b = sum_of(input.b, group.b);
    if (!other_operations(a, b)) continue;
    const DeltaPart at = part_at(input, group);
    out.push_back({at.phase,
                   at.file,
                   at.line,
                   {a.operations.begin(), a.operations.end()},
                   {b.operations.begin(), b.operations.end()},
                   a.calls / n,
                   b.calls / n,
                   b.ns - a.ns});
  }
  std::stable_sort(out.begin(), out.end(), [](const Replacement& x, const Replacement& y) {
    return std::abs(x.delta_ns) > std::abs(y.delta_ns);
  });
  return out;
}

}  // namespace stepscope::compare_parts
