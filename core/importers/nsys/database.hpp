// SPDX-License-Identifier: Apache-2.0
// Read-only rows of an SQLite file that may be of any version, or hostile: tables and columns are
// looked up by name, and those that are absent read as NULL. Tables that a version of nsys writes
// with its number ("NVTX_EVENTS_V2") have the name without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/support/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope::nsys {

// The current row of a statement; columns in the order in which they were asked for. Texts live
// until the next row.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  bool null(int column) const;
  std::int64_t integer(int column, std::int64_t otherwise = 0) const;
  std::string_view text(int column) const;
  // Negative numbers and those that do not fit give `otherwise`, as NULL does.
  template <class Unsigned>
  Unsigned id(int column, Unsigned otherwise) const {
    const std::int64_t value = integer(column, -1);
    const auto narrow = static_cast<Unsigned>(value);
    const bool fits =
        value >= 0 && static_cast<std::uint64_t>(narrow) == static_cast<std::uint64_t>(value);
    return fits ? narrow : otherwise;
  }

 private:
  sqlite3_stmt* statement_;
};

class Database {
 public:
  using Columns = std::initializer_list<const char*>;
  using Visitor = std::function<void(const Row& row)>;
  using Judge = std::function<bool(const Row& row)>;  // false: no further row

  static Result<Database> open(const std::filesystem::path& path);

  bool has(const std::string& table) const { return tables_.contains(table); }
  bool has(const std::string& table, const std::string& column) const;
  std::set<std::string> tables() const;
  // The first few of a table by name, as a sentence lists them.
  std::string columns(const std::string& table) const;
  // About how many rows: the largest row number.
  std::uint64_t rows(const std::string& table) const;
  // Every row of a table, in any order; none where there is no such table.
  Status each(const std::string& table, Columns columns, const Visitor& visit) const;
  Status each_while(const std::string& table, Columns columns, const Judge& visit) const;
  // One value of the row with this key, where key is the table's row number.
  std::optional<std::string> text_at(const std::string& table, const char* column, const char* key,
                                     std::int64_t id) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  explicit Database(sqlite3* database) : database_(database) {}
  Error failure(std::string_view what) const;
  Result<Statement> prepare(const std::string& sql) const;
  Status read_tables();
  void add_versions();
  std::string written_as(const std::string& table) const;

  std::unique_ptr<sqlite3, Close> database_;
  std::map<std::string, std::set<std::string>> tables_;  // with their columns
  std::map<std::string, std::string> written_as_;        // where the file names them otherwise
  mutable std::map<std::string, Statement> look_ups_;
};

}  // namespace stepscope::nsys
