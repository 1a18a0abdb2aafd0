// SPDX-License-Identifier: Apache-2.0
// One table as CSV (RFC 4180): a line of names, then a line a row; texts are quoted where they
// need it.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/exporters/exported.hpp"
#include "core/exporters/file_sink.hpp"
#include "core/exporters/tables.hpp"

namespace stepscope {
namespace {

using exporting::Table;
using exporting::Value;

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char letter : text)
    out += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return out += '"';
}

std::string csv_value(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string_view>(&value)) return csv_text(*text);
  return "";
}

std::string table_names() {
  std::string out;
  for (const Table& table : exporting::all_tables())
    out += fmt::format("{}{}", out.empty() ? "" : ", ", table.name);
  return out;
}

}  // namespace

Status write_csv(const Exported& run, const ExportOptions& options, const std::string& path,
                 const Progress&) {
  const std::string wanted = options.table.empty() ? "cells" : options.table;
  const auto tables = exporting::all_tables();
  const auto table = std::find_if(tables.begin(), tables.end(),
                                  [&wanted](const Table& t) { return t.name == wanted; });
  if (table == tables.end())
    return usage_error(
        fmt::format("--table {}: no such table; there are {}", wanted, table_names()));
  exporting::FileSink to(path);
  std::string line;
  for (const exporting::Column& column : table->columns)
    line += (line.empty() ? "" : ",") + std::string(column.name);
  to.write(line + "\n");
  table->each(run, [&](const exporting::Values& row) {
    line.clear();
    for (const Value& value : row) line += csv_value(value) + ",";
    line.back() = '\n';
    to.write(line);
  });
  return to.finish();
}

}  // namespace stepscope
