// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

namespace stepscope::nsys {
namespace {

// A name or text is never this long, and a hostile file shall not make us believe so.
constexpr int kLongestValue_bytes = 64 << 20;

std::string as_uri(const std::filesystem::path& path) {
  std::string out = "file:";
  for (const char letter : std::filesystem::absolute(path).string()) {
    const auto code = static_cast<unsigned char>(letter);
    const bool plain = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
                       (code >= '0' && code <= '9') || code == '/' || code == '.' || code == '_' ||
                       code == '-';
    out += plain ? std::string(1, letter) : fmt::format("%{:02x}", code);
  }
  return out + "?immutable=1";
}

}  // namespace

bool Row::null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Row::integer(int column, std::int64_t otherwise) const {
  return null(column) ? otherwise : sqlite3_column_int64(statement_, column);
}

std::string_view Row::text(int column) const {
  const auto* bytes =
      static_cast<const char*>(static_cast<const void*>(sqlite3_column_text(statement_, column)));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}
void Database::Close::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Error Database::failure(std::string_view what) const {
  const int code = sqlite3_errcode(database_.get());
  const std::string message =
      fmt::format("{}: SQLite says: {}", what, sqlite3_errmsg(database_.get()));
  if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN) return io_error(message);
  return bad_input(message +
                   ". The file is damaged or was cut: copy it again from where it was exported, or "
                   "export it again with nsys export --type sqlite --force-overwrite true");
}

Result<Database> Database::open(const std::filesystem::path& path) {
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(as_uri(path).c_str(), &raw, flags, nullptr);
  Database out(raw);
  if (raw == nullptr) return io_error("SQLite has no memory to open it");
  if (code != SQLITE_OK) return out.failure("cannot be opened");
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kLongestValue_bytes);
  if (const Status read = out.read_tables(); !read.ok()) return read.error();
  return out;
}

Result<Database::Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
    return failure("its tables cannot be read");
  return Statement(raw);
}

Status Database::read_tables() {
  const auto found = prepare(
      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_xinfo(m.name) c "
      "WHERE m.type IN ('table', 'view')");
  if (!found.ok()) return found.error();
  int code = SQLITE_OK;
  while ((code = sqlite3_step(found->get())) == SQLITE_ROW) {
    const Row row(found->get());
    tables_[std::string(row.text(0))].insert(std::string(row.text(1)));
  }
  add_versions();
  return code == SQLITE_DONE ? Status(Done{}) : failure("its tables cannot be read");
}

// The last version stands for the table where that is not there under its plain name.
void Database::add_versions() {
  for (const std::string& name : tables()) {
    const std::size_t digits = name.find_last_not_of("0123456789");
    const bool is_version = digits != std::string::npos && digits + 1 < name.size() &&
                            name.substr(0, digits + 1).ends_with("_V");
    if (!is_version) continue;
    const std::string plain = name.substr(0, digits - 1);
    if (tables_.contains(plain) && !written_as_.contains(plain)) continue;
    tables_[plain] = tables_[name];
    written_as_[plain] = name;
  }
  for (const auto& [plain, name] : written_as_) tables_.erase(name);
}

std::string Database::written_as(const std::string& table) const {
  const auto found = written_as_.find(table);
  return found == written_as_.end() ? table : found->second;
}

bool Database::has(const std::string& table, const std::string& column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && found->second.contains(column);
}

std::set<std::string> Database::tables() const {
  std::set<std::string> out;
  for (const auto& [table, columns] : tables_) out.insert(table);
  return out;
}

std::string Database::columns(const std::string& table) const {
  constexpr std::size_t kMostNamed = 8;
  const auto found = tables_.find(table);
  std::string list;
  std::size_t named = 0;
  if (found == tables_.end()) return list;
  for (const std::string& column : found->second) {
    if (named++ == kMostNamed) return list + ", ...";
    list += (list.empty() ? "" : ", ") + column;
  }
  return list;
}

std::uint64_t Database::rows(const std::string& table) const {
  if (!has(table)) return 0;
  const auto found = prepare(fmt::format("SELECT max(rowid) FROM \"{}\"", written_as(table)));
  if (!found.ok() || sqlite3_step(found->get()) != SQLITE_ROW) return 0;
  return Row(found->get()).id<std::uint64_t>(0, 0);
}

Status Database::each(const std::string& table, Columns columns, const Visitor& visit) const {
  return each_while(table, columns, [&visit](const Row& row) { return visit(row), true; });
}

Status Database::each_while(const std::string& table, Columns columns, const Judge& visit) const {
  if (!has(table)) return Done{};
  std::string list;
  for (const char* column : columns) {
    list += list.empty() ? "" : ", ";
    list += has(table, column) ? fmt::format("\"{}\"", column) : "NULL";
  }
  const auto statement = prepare(fmt::format("SELECT {} FROM \"{}\"", list, written_as(table)));
  if (!statement.ok()) return statement.error();
  const Row row(statement->get());
  int code = SQLITE_OK;
  while ((code = sqlite3_step(statement->get())) == SQLITE_ROW)
    if (!visit(row)) return Done{};
  return code == SQLITE_DONE ? Status(Done{}) : failure("table " + table);
}

std::optional<std::string> Database::text_at(const std::string& table, const char* column,
                                             const char* key, std::int64_t id) const {
  if (!has(table, column) || !has(table, key)) return std::nullopt;
  Statement& statement = look_ups_[table];
  if (statement == nullptr) {
    auto made = prepare(
        fmt::format("SELECT \"{}\" FROM \"{}\" WHERE \"{}\" = ?", column, written_as(table), key));
    if (!made.ok()) return std::nullopt;
    statement = std::move(made).value();
  }
  sqlite3_reset(statement.get());
  sqlite3_bind_int64(statement.get(), 1, id);
  if (sqlite3_step(statement.get()) != SQLITE_ROW) return std::nullopt;
  return std::string(Row(statement.get()).text(0));
}

}  // namespace stepscope::nsys
