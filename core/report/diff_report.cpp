// SPDX-License-Identifier: Apache-2.0
// A difference in words: its head, every part of it as one table from A's step to B's, the work that
// other work replaced, and the counts of a step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/compare/delta_groups.hpp"
#include "core/report/documents.hpp"
#include "core/report/tables.hpp"
#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/step_scale.hpp"
#include "core/support/duration.hpp"

namespace stepscope::report {
namespace {

constexpr double kLeastPartShown = 0.002;     // share of the sum of all |parts|
constexpr double kLeastReplacement = 0.0005;  // share of A's step
constexpr double kCountsDiffer = 0.005;
constexpr std::size_t kLongestReplaced = 44;

struct DiffScale {
  explicit DiffScale(const Comparison& comparison)
      : c(comparison),
        a_ns(c.per_step(c.a.wall_ns_total)),
        unit(unit_for_step(a_ns)),
        title(std::string(unit.name) + "/step") {}

  std::string time(std::int64_t total) const { return format_time(c.per_step(total), unit); }
  std::string difference(double ns) const { return format_difference(ns, unit); }

  const Comparison& c;
  double a_ns;  // A's step
  TimeUnit unit;
  std::string title;
};

class PartsTable {
 public:
  explicit PartsTable(const DiffScale& scale)
      : scale_(scale), c_(scale.c), groups_(group_parts(c_.parts)) {
    for (const DeltaGroup& group : groups_) {
      sum_of_all_ += std::abs(static_cast<double>(group.delta_ns));
      phases_[key(group.largest())].insert(group.largest().phase);
    }
  }

  Table table() const {
    Table out{.id = "parts", .title = "Every part of the difference", .brief = scale_.title};
    out.tab = "Difference";
    out.columns = {{"delta_ns", scale_.title, Kind::difference, "", true},
                   {"change", "of A", Kind::change, "", true},
                   {"cause", "cause", Kind::cause},
                   {"where", "where", Kind::where},
                   {"phase", "phase", Kind::detail},
                   {"how", "how", Kind::work},
                   {"delta_ns", exact_title(c_.steps), Kind::exact, "", true}};
    out.unit = scale_.unit;
    out.whole_ns = std::max(1.0, scale_.a_ns);
    out.bars = Bars::of_change;
    for (std::size_t i = 0; i < groups_.size(); ++i) out.rows.push_back(row(i));
    out.first = end(c_.a.wall_ns_total, "A's step", "");
    out.sum =
        end(c_.b.wall_ns_total, "= B's step", fmt::format("left over: {} ns", c_.residual_ns));
    out.sum->cells[1] = out.sum->cells[6] = amount(c_.delta_ns_total);
    return out;
  }

 private:
  Amount amount(std::int64_t ns) const { return {ns, static_cast<double>(c_.steps)}; }

  Row end(std::int64_t ns, const char* what, std::string how) const {
    return {.cells = {
                Words{scale_.time(ns)}, {}, Words{what}, {}, {}, Name{"", std::move(how), ""}, {}}};
  }

  Row row(std::size_t i) const {
    const DeltaGroup& group = groups_[i];
    const DeltaPart& part = group.largest();
    const Amount delta = amount(group.delta_ns);
    Row out{.cells = {delta, delta, part.cause, where(part), Words{part.phase}, work(group), delta},
            .cause = part.cause,
            .link = {Link::To::part, std::to_string(i)}};
    if (std::abs(static_cast<double>(group.delta_ns)) < kLeastPartShown * sum_of_all_)
      out.weight = Weight::minor;
    return out;
  }

  using Key = std::pair<Cause, std::string>;
  static Key key(const DeltaPart& part) { return {part.cause, place_of(part)}; }

  // The same line and cause may stand twice: the phase tells them apart.
  Name where(const DeltaPart& part) const {
    const std::string place = place_of(part);
    if (place.empty()) return {part.phase, "", ""};
    return {place, phases_.at(key(part)).size() > 1 ? part.phase : "", ""};
  }

  // Idle time has no operation of its own.
  Name work(const DeltaGroup& group) const {
    const DeltaPart& part = group.largest();
    const bool is_idle = part.kind == DeltaKind::idle;
    return {is_idle ? "" : short_kernel_name(part.op), how_of(group, c_), part.op};
  }

  const DiffScale& scale_;
  const Comparison& c_;
  std::vector<DeltaGroup> groups_;
  double sum_of_all_ = 0;  // the sum of all |parts|
  std::map<Key, std::set<std::string>> phases_;
};

std::string operations_text(double calls, const std::vector<std::string>& ops) {
  const std::string what = ops.size() == 1 ? shortened(short_kernel_name(ops[0]), kLongestReplaced)
                                           : fmt::format("{} operations", ops.size());
  return fmt::format("{} x {}", format_count(calls), what);
}

std::vector<Note> replaced_notes(const DiffScale& scale) {
  std::vector<Note> out;
  for (const Replacement& r : scale.c.replaced) {
    const double delta = scale.c.per_step(r.delta_ns);
    out.push_back({fmt::format("{} -> {}: {} {}", operations_text(r.a_calls_per_step, r.a_ops),
                               operations_text(r.b_calls_per_step, r.b_ops),
                               scale.difference(delta), scale.title)});
    if (std::abs(delta) < kLeastReplacement * scale.a_ns) out.back().weight = Weight::minor;
  }
  return out;
}

Row count_row(const CountDelta& count) {
  const auto shown = [&](double value) {
    return count.counter.starts_with("bytes") ? format_bytes(value) : format_count(value);
  };
  std::string name = count.counter;
  std::replace(name.begin(), name.end(), '_', ' ');
  const bool is_same = count.a_per_step == count.b_per_step;
  const double larger = std::max(count.a_per_step, count.b_per_step);
  const bool is_close = std::abs(count.b_per_step - count.a_per_step) <= kCountsDiffer * larger;
  return {.cells = {Words{name}, Words{shown(count.a_per_step)}, Words{shown(count.b_per_step)},
                    Words{is_same ? "the same" : ""}},
          .weight = is_close ? Weight::minor : Weight::usual};
}

Table counts_table(const Comparison& c) {
  Table out{.id = "counts", .title = "Work a step", .brief = "count", .tab = "Counts"};
  out.columns = {{"counter", "count", Kind::words},
                 {"a_per_step", "A", Kind::value},
                 {"b_per_step", "B", Kind::value},
                 {"note", "", Kind::note}};
  for (const CountDelta& count : c.counts) out.rows.push_back(count_row(count));
  return out;
}

std::string range_text(const DiffScale& scale) {
  if (!scale.c.range_ns_per_step) return "";
  const auto& [low, high] = *scale.c.range_ns_per_step;
  return fmt::format("over all pairs of runs: {} to {} {}", scale.difference(low),
                     scale.difference(high), scale.title);
}

}  // namespace

DiffReport diff_report(const Comparison& c) {
  DiffReport out{.a = side_sentence(c.a),
                 .b = side_sentence(c.b),
                 .a_path = c.a.run.path,
                 .b_path = c.b.run.path,
                 .why_not = c.why_not,
                 .warnings = c.warnings};
  if (!c.shown()) return out;
  const DiffScale scale(c);
  out.sentence = diff_sentence(c);
  out.range = range_text(scale);
  out.parts = PartsTable(scale).table();
  out.sides = diff_tables(c);
  out.replaced = replaced_notes(scale);
  out.counts = counts_table(c);
  return out;
}

}  // namespace stepscope::report
