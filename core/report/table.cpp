// SPDX-License-Identifier: Apache-2.0
#include "core/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/wording/diff_words.hpp"
#include "core/support/duration.hpp"

namespace stepscope::report {
namespace {

constexpr double kLeastPart = 0.05;  // share of a row's time from which on a cause is named

std::optional<double> mean_of(const Cell& cell) {
  if (const auto* amount = std::get_if<Amount>(&cell)) return amount->mean();
  if (const auto* mean = std::get_if<double>(&cell)) return *mean;
  if (const auto* range = std::get_if<Range>(&cell)) return range->low;
  return std::nullopt;
}

std::string range_text(const Range& range, const TimeUnit& unit) {
  return format_difference(range.low, unit) + " to " + format_difference(range.high, unit);
}

std::string exact_text(const Cell& cell) {
  const auto* amount = std::get_if<Amount>(&cell);
  return amount ? format_exact(amount->total) : "";
}

// Returns the cell that the row is about: its difference, where rows have one, or its time.
const Amount* main_cell(const Table& table, const Row& row) {
  for (const Kind kind : {Kind::difference, Kind::time, Kind::exact}) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const auto* amount = std::get_if<Amount>(&row.cells[i]);
      if (table.columns[i].kind == kind && amount) return amount;
    }
  }
  return nullptr;
}

std::size_t first_of_words(const Table& table) {
  const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                               [](const Column& column) { return !is_number(column.kind); });
  return static_cast<std::size_t>(at - table.columns.begin());
}

// Sums what the rows that are left out have in the columns that add up.
class Rest {
 public:
  explicit Rest(const Table& table) : table_(table), sums_(table.columns.size()) {}

  void add(const Row& row) {
    if (row.depth > 0 || main_cell(table_, row) == nullptr) return;
    count_ += 1;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const auto* amount = std::get_if<Amount>(&row.cells[i]);
      if (table_.columns[i].adds_up && amount)
        sums_[i] = {sums_[i].total + amount->total, amount->over};
    }
  }

  std::optional<Row> row() const {
    if (count_ == 0) return std::nullopt;
    Row out;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      out.cells.push_back(table_.columns[i].adds_up ? Cell(sums_[i]) : Cell());
    out.cells[first_of_words(table_)] = Words{fmt::format("{} smaller", count_)};
    return out;
  }

 private:
  const Table& table_;
  std::size_t count_ = 0;
  std::vector<Amount> sums_;
};

std::vector<std::size_t> columns_of(const Table& table, const std::vector<const Row*>& rows) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto says = [i](const Row* row) { return says_something(row->cells[i]); };
    if (i == 0 || rows.empty() || std::any_of(rows.begin(), rows.end(), says)) out.push_back(i);
  }
  return out;
}

template <class IsShown>
Shown shown_if(const Table& table, IsShown is_shown) {
  Shown out;
  Rest rest(table);
  for (const Row& row : table.rows) {
    if (is_shown(row)) {
      out.rows.push_back(&row);
    } else {
      rest.add(row);
    }
  }
  out.rest = rest.row();
  out.columns = columns_of(table, out.rows);
  return out;
}

}  // namespace

bool is_number(Kind kind) {
  return kind >= Kind::value;
}

std::string title_of(const Column& column) {
  return column.unit.empty() ? column.title : column.title + " " + column.unit;
}

std::string number_text(const Table& table, Kind kind, const Cell& cell) {
  if (const auto* range = std::get_if<Range>(&cell)) return range_text(*range, table.unit);
  const std::optional<double> mean = mean_of(cell);
  if (!mean) return "";
  switch (kind) {
    case Kind::time:
      return format_time(*mean, table.unit);
    case Kind::duration:
      return format_duration(*mean);
    case Kind::share:
      return format_share(table.whole_ns > 0 ? *mean / table.whole_ns : 0);
    case Kind::exact:
      return exact_text(cell);
    case Kind::difference:
      return format_difference(*mean, table.unit);
    case Kind::change:
      return format_change(*mean / table.whole_ns);
    case Kind::bytes:
      return format_bytes(*mean);
    case Kind::rate:
      return format_rate(*mean);
    default:
      return format_count(*mean);
  }
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* amount = std::get_if<Amount>(&cell)) return static_cast<double>(amount->total);
  return mean_of(cell);
}

bool says_something(const Cell& cell) {
  if (const auto* words = std::get_if<Words>(&cell)) return !words->text.empty();
  if (const auto* name = std::get_if<Name>(&cell))
    return !name->text.empty() || !name->remark.empty();
  return !std::holds_alternative<std::monostate>(cell);
}

std::string causes_text(const CauseParts& parts, std::size_t columns) {
  std::int64_t whole = 0;
  for (const CausePart& part : parts) whole += part.ns_total;
  std::string out;
  for (const CausePart& part : parts) {
    const double share = static_cast<double>(part.ns_total) / static_cast<double>(whole);
    std::string next = std::string(out.empty() ? "" : ", ") + std::string(name_of(part.cause));
    if (parts.size() > 1) next += fmt::format(" {:.0f} %", 100 * share);
    if (!out.empty() && (share < kLeastPart || out.size() + next.size() > columns)) break;
    out += next;
  }
  return out;
}

std::int64_t total_of(const Table& table, const Row& row) {
  const Amount* amount = main_cell(table, row);
  return amount ? amount->total : 0;
}

double bar_share(const Table& table, const Row& row, Bars bars) {
  const Amount* amount = main_cell(table, row);
  if (amount == nullptr || bars == Bars::none) return 0;
  const Amount* first = bars == Bars::of_whole ? nullptr : main_cell(table, table.rows.front());
  const double whole = first ? std::abs(first->mean()) : table.whole_ns;
  return whole > 0 ? std::abs(amount->mean()) / whole : 0;
}

Shown first_rows(const Table& table, std::size_t most) {
  return shown_if(table, [&, i = std::size_t{0}](const Row& row) mutable {
    return i++ < most || (table.keeps_outermost && row.depth == 0) || row.weight == Weight::always;
  });
}

Shown rows_of_screen(const Table& table, std::size_t most) {
  return shown_if(table, [i = std::size_t{0}, most](const Row& row) mutable {
    const bool fits = row.weight != Weight::minor && i++ < most;
    return fits || row.weight == Weight::always;
  });
}

}  // namespace stepscope::report
