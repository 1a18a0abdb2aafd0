// SPDX-License-Identifier: Apache-2.0
// A row of a report's table as an object: what is shown as a mean stands as its exact total.
#include "reports/json/json_rows.hpp"

namespace stepscope::json_rows {
namespace {

Json place_json(const report::Place& at) {
  Json out = {{"file", at.file}, {"line", at.line}};
  if (!at.function.empty()) out["function"] = at.function;
  if (at.direction != Direction::none) out["direction"] = name_of(at.direction);
  return out;
}

Json parts_json(const report::CauseParts& parts) {
  Json out = Json::array();
  for (const report::CausePart& part : parts)
    out.push_back({{"cause", name_of(part.cause)}, {"ns_total", part.ns_total}});
  return out;
}

Json range_json(const report::Range& range) {
  return {{"low", range.low}, {"high", range.high}};
}

void add_words(Json& out, const std::string& key, const report::Cell& cell) {
  if (const auto* cause = std::get_if<Cause>(&cell)) out[key] = name_of(*cause);
  if (const auto* at = std::get_if<report::Place>(&cell)) out[key] = place_json(*at);
  if (const auto* range = std::get_if<report::Range>(&cell)) out[key] = range_json(*range);
  if (const auto* words = std::get_if<report::Words>(&cell)) out[key] = words->text;
  if (const auto* parts = std::get_if<report::CauseParts>(&cell)) out[key] = parts_json(*parts);
  if (const auto* name = std::get_if<report::Name>(&cell))
    out[key] = name->whole.empty() ? name->text : name->whole;
}

void add_amount(Json& out, const report::Table& table, const report::Column& column,
                const report::Amount& amount) {
  if (column.kind == report::Kind::share) {
    out[column.key] = table.whole_ns > 0 ? amount.mean() / table.whole_ns : 0;
  } else if (column.kind != report::Kind::exact) {
    out[column.key + "_total"] = amount.total;
  }
}

}  // namespace

Json row(const report::Table& table, const report::Row& row) {
  Json out = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const report::Cell& cell = row.cells[i];
    if (const auto* amount = std::get_if<report::Amount>(&cell))
      add_amount(out, table, table.columns[i], *amount);
    else if (const auto* mean = std::get_if<double>(&cell))
      out[table.columns[i].key] = *mean;
    else
      add_words(out, table.columns[i].key, cell);
  }
  return out;
}

}  // namespace stepscope::json_rows
