// SPDX-License-Identifier: Apache-2.0
// All tables in one SQLite file. A text is stored once, in `strings`: a table NAME with texts is a
// view of that name over NAME_rows, which holds ids. Views for the first questions are there too.
#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "core/exporters/exported.hpp"
#include "core/exporters/sqlite_views.hpp"
#include "core/exporters/tables.hpp"

namespace stepscope {
namespace {

using exporting::Column;
using exporting::ColumnType;
using exporting::Table;
using exporting::Value;

struct CloseSqlite {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, CloseSqlite>;

bool has_text(const Table& table) {
  for (const Column& column : table.columns) {
    if (column.type == ColumnType::text) return true;
  }
  return false;
}

std::string rows_name(const Table& table) {
  return fmt::format("{}{}", table.name, has_text(table) ? "_rows" : "");
}

// The first column is a row's own number where it is named like the table: "steps" and "step".
std::string create_table(const Table& table) {
  std::string columns;
  for (const Column& column : table.columns) {
    const bool own = columns.empty() && fmt::format("{}s", column.name) == table.name;
    columns += fmt::format("{}{}{} {}", columns.empty() ? "" : ", ", column.name,
                           column.type == ColumnType::text ? "_id" : "",
                           column.type == ColumnType::real ? "REAL" : "INTEGER");
    if (own) columns += " PRIMARY KEY";
  }
  return fmt::format("CREATE TABLE {} ({});", rows_name(table), columns);
}

std::string create_view(const Table& table) {
  if (!has_text(table)) return "";
  std::string columns;
  for (const Column& column : table.columns) {
    columns += columns.empty() ? "" : ", ";
    columns += column.type == ColumnType::text
                   ? fmt::format("(SELECT value FROM strings WHERE id = {}_id) AS {}", column.name,
                                 column.name)
                   : std::string(column.name);
  }
  return fmt::format("CREATE VIEW {} AS SELECT {} FROM {};", table.name, columns, rows_name(table));
}

class SqliteWriter {
 public:
  explicit SqliteWriter(const std::string& path) : path_(path) {
    sqlite3* raw = nullptr;
    code_ = sqlite3_open(path.c_str(), &raw);
    database_.reset(raw);
  }

  Status write(const Exported& run, const Progress& progress) {
    // A new file that replaces another at the end needs no journal.
    execute(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = 0x73637031;"
        "BEGIN; CREATE TABLE strings (id INTEGER PRIMARY KEY, value TEXT NOT NULL);");
    insert_string_ = prepare("INSERT INTO strings VALUES (?, ?)");
    for (const Table& table : exporting::all_tables()) write_table(run, table, progress);
    write_about(run);
    execute(exporting::kSqliteViews);
    execute(
        "CREATE INDEX device_ops_begin ON device_ops_rows (begin_ns);"
        "CREATE INDEX host_ranges_begin ON host_ranges_rows (thread, begin_ns); COMMIT;");
    if (code_ == SQLITE_OK) return Done{};
    return io_error(fmt::format("{}: writing failed: {}; choose another place with -o FILE", path_,
                                sqlite3_errstr(code_)));
  }

 private:
  void execute(const std::string& sql) {
    if (code_ == SQLITE_OK)
      code_ = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  }

  SqliteStatement prepare(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    if (code_ == SQLITE_OK)
      code_ = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
    return SqliteStatement(raw);
  }

  void step(sqlite3_stmt* statement) {
    if (code_ != SQLITE_OK) return;
    const int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) code_ = code;
    sqlite3_reset(statement);
  }

  std::int64_t id_of(std::string_view text) {
    const auto [known, fresh] =
        strings_.try_emplace(std::string(text), static_cast<std::int64_t>(strings_.size()));
    if (fresh && code_ == SQLITE_OK) {
      sqlite3_bind_int64(insert_string_.get(), 1, known->second);
      sqlite3_bind_text(insert_string_.get(), 2, text.data(), static_cast<int>(text.size()),
                        SQLITE_TRANSIENT);
      step(insert_string_.get());
    }
    return known->second;
  }

  void bind(sqlite3_stmt* statement, int at, const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(statement, at, *number);
    } else if (const auto* real = std::get_if<double>(&value)) {
      sqlite3_bind_double(statement, at, *real);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      sqlite3_bind_int64(statement, at, id_of(*text));
    } else {
      sqlite3_bind_null(statement, at);
    }
  }

  void write_table(const Exported& run, const Table& table, const Progress& progress) {
    execute(create_table(table) + create_view(table));
    std::string places = "?";
    for (std::size_t i = 1; i < table.columns.size(); ++i) places += ", ?";
    const SqliteStatement insert =
        prepare(fmt::format("INSERT INTO {} VALUES ({})", rows_name(table), places));
    if (code_ != SQLITE_OK) return;
    table.each(run, [&](const exporting::Values& row) {
      if (code_ != SQLITE_OK) return;
      for (std::size_t i = 0; i < row.size(); ++i)
        bind(insert.get(), static_cast<int>(i) + 1, row[i]);
      step(insert.get());
      if (++rows_ % 8192 == 0) report_progress(progress, rows_, 2 * run.trace.event_count());
    });
  }

  void write_about(const Exported& run) {
    execute("CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT);");
    const SqliteStatement insert = prepare("INSERT OR REPLACE INTO about VALUES (?, ?)");
    const auto add = [&](std::string_view key, std::string_view value) {
      if (code_ != SQLITE_OK) return;
      sqlite3_bind_text(insert.get(), 1, key.data(), static_cast<int>(key.size()),
                        SQLITE_TRANSIENT);
      sqlite3_bind_text(insert.get(), 2, value.data(), static_cast<int>(value.size()),
                        SQLITE_TRANSIENT);
      step(insert.get());
    };
    add("schema", "stepscope.export/1");
    add("trace", run.trace.data().path);
    add("steps_found_by", name_of(run.steps.found_by));
    for (const auto& [key, value] : run.trace.data().processes[run.steps.process].facts)
      add("fact." + key, value);
  }

  std::string path_;
  std::unique_ptr<sqlite3, CloseSqlite> database_;
  SqliteStatement insert_string_;
  std::unordered_map<std::string, std::int64_t> strings_;
  int code_ = SQLITE_OK;
  std::uint64_t rows_ = 0;
};

}  // namespace

Status write_sqlite(const Exported& run, const ExportOptions&, const std::string& path,
                    const Progress& progress) {
  return SqliteWriter(path).write(run, progress);
}

}  // namespace stepscope
