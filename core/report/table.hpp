// SPDX-License-Identifier: Apache-2.0
// A table of a report as a value, the same for every medium. A builder (tables.hpp) says once which
// columns and rows a section has; a renderer (reports/, viewer/, cli/mcp/) says how each kind of
// column looks in its medium and how many rows fit there, and knows no section by name.
//
// Cells hold what was measured: sums are integers (ns, bytes, calls) beside the number that they
// are divided by where a mean is shown. A row has one cell for each column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/attribution/direction.hpp"
#include "core/model/entities.hpp"
#include "core/report/wording/numbers.hpp"

namespace stepscope {

// How a statement is meant; each renderer shows it in its own colours and marks.
enum class Tone : std::uint8_t { good, bad, caution, neutral };

}  // namespace stepscope

namespace stepscope::report {

enum class Kind : std::uint8_t {
  name,      // what the row is about
  place,     // a source line
  words,     // a sentence, or a name that is nobody's id
  where,     // a line or phase; the remark is the phase, where the line alone stands twice
  work,      // an operation, and in the remark how it differs
  detail,    // words that stand only where there is room
  phase,     // the name of a phase
  note,      // a remark about the row
  id,        // a name that is somebody's id
  aside,     // words of less weight
  verdict,   // words whose tone is what they say
  cause,     // the id of a cause
  causes,    // which causes own the row
  value,     // a number in words, in a unit of its own
  time,      // ns, shown in the table's unit
  duration,  // ns, each in its own unit
  share,     // ns, shown as a part of the table's whole
  exact,     // ns, every digit; only where there is room
  count,
  range,       // a range of differences, in ns
  difference,  // ns with its sign, shown in the table's unit
  change,      // ns with its sign, shown as a part of the table's whole
  bytes,       // also a second
  rate,        // bytes a second, shown in GB/s
};
bool is_number(Kind kind);

struct Column {
  std::string key;  // what the cell is called where rows are objects: "ns", "calls"
  std::string title;
  Kind kind = Kind::words;
  std::string unit = {};  // stands behind the title where there is room
  bool adds_up = false;   // a row for what is left out sums it
};

std::string title_of(const Column& column);  // with its unit

struct Amount {
  std::int64_t total = 0;
  double over = 1;

  double mean() const { return static_cast<double>(total) / over; }
};

struct Range {  // a mean's lowest and highest value
  double low = 0;
  double high = 0;
};

struct Words {
  std::string text;
  Tone tone = Tone::neutral;
};

struct Name {
  std::string text;
  std::string remark;  // stands in brackets behind it
  std::string whole;   // a kernel's whole signature, of which `text` is the readable part
};

struct Place {
  std::string file;   // as it was recorded
  std::string shown;  // as it is shown: relative to where the run was started
  std::uint32_t line = 0;
  std::string function;
  SiteKind kind = SiteKind::call;
  Direction direction = Direction::none;
  bool name_tells = false;  // no other file of the table has its name
};

struct CausePart {
  Cause cause = Cause::unknown;
  std::int64_t ns_total = 0;
  std::string meaning;
};
using CauseParts = std::vector<CausePart>;  // largest first; they sum to the row's time

// A cell of the first alternative is empty: nothing is known, or nothing is to be said.
using Cell =
    std::variant<std::monostate, Amount, double, Range, Words, Name, Place, Cause, CauseParts>;

// Names what the row stands for in the trace, for readers that can go there.
struct Link {
  enum class To : std::uint8_t { nothing, phase, kernel, cause, event, operation, rank, part };
  To to = To::nothing;
  std::string text;  // a path, a name or an id
};

// Says which rows stand where only some rows fit.
enum class Weight : std::uint8_t { usual, minor, always };

struct Row {
  std::vector<Cell> cells;
  std::uint32_t depth = 0;     // 0: outermost
  std::optional<Cause> cause;  // the colour of its bar and of its swatch
  Link link;
  Weight weight = Weight::usual;
};

enum class Bars : std::uint8_t {
  none,
  of_whole,    // the time's part of the whole
  of_largest,  // the time's part of the largest row's
  of_change,   // the difference's part of the largest difference
};

struct Table {
  std::string id;     // "kernels"; stable: readers ask for a table by it
  std::string title;  // "Device operations"
  std::string brief;  // "Device op": the same above the first column
  std::string tab;    // "Kernels": the same on a tab
  std::vector<Column> columns;
  std::optional<Row> first;      // stands above the rows that lead from it to the sum
  std::vector<Row> rows;         // largest first, or parents before children
  std::optional<Row> sum;        // sum of all outermost rows
  TimeUnit unit;                 // unit of the columns of times
  double whole_ns = 0;           // what shares are parts of, as a mean
  bool keeps_outermost = false;  // where there is room, they are never left out
  Bars bars = Bars::none;
  std::vector<std::string> texts;    // sentences below the table
  std::int64_t no_row_ns_total = 0;  // what belongs to the whole and to no row
  std::string empty;                 // what a reader says that shows the table without rows
};

// Returns a number as every medium prints it; an empty text where the cell holds none.
std::string number_text(const Table& table, Kind kind, const Cell& cell);
// Returns the number by which a cell is sorted: the exact total, or the mean.
std::optional<double> number_of(const Cell& cell);
bool says_something(const Cell& cell);
// Returns "host.python 61 %, gpu.gemm 20 %": the first, and as many of the others as own 5 % of the
// row and fit into `columns`.
std::string causes_text(const CauseParts& parts, std::size_t columns);

// Returns the length of the row's bar: 0..1 of the whole or of the largest row.
double bar_share(const Table& table, const Row& row, Bars bars);
// Returns the exact total in the first column of differences, or of times.
std::int64_t total_of(const Table& table, const Row& row);

// Holds the rows that fit, and one that counts and sums the outermost ones that do not.
struct Shown {
  std::vector<const Row*> rows;
  std::optional<Row> rest;
  std::vector<std::size_t> columns;  // in which some row says something; the first always

  // The cell of the i-th of `columns`.
  const Cell& cell(const Row& row, std::size_t i) const { return row.cells[columns[i]]; }
};
// Returns the first `most` rows, and those that are never left out.
Shown first_rows(const Table& table, std::size_t most);
// Returns the rows for one screen: the first `most` that are not minor, and those that always
// stand.
Shown rows_of_screen(const Table& table, std::size_t most);

}  // namespace stepscope::report
