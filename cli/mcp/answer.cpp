// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace stepscope::mcp {
namespace {

constexpr std::size_t kEnvelope = 160;  // with an id of up to 40 bytes
constexpr std::size_t kMostText = kMostAnswerBytes - kEnvelope;
constexpr std::size_t kLeastCut = 24;  // shorter texts are not cut

// The answer is a text inside of JSON: its quotes and backslashes are sent twice over.
std::size_t sent_bytes(const std::string& text) {
  return text.size() + static_cast<std::size_t>(std::count_if(
                           text.begin(), text.end(), [](char c) { return c == '"' || c == '\\'; }));
}

std::size_t sent_bytes(const Json& json) {
  return sent_bytes(line_of(json));
}

// Nine significant digits say a nanosecond of a second; the rest would be half of the answer.
Json rounded(Json json) {
  if (json.is_structured()) {
    for (Json& inner : json) inner = rounded(std::move(inner));
  } else if (json.is_number_float()) {
    json = std::strtod(fmt::format("{:.9g}", json.get<double>()).c_str(), nullptr);
  }
  return json;
}

void find_longest(Json& json, Json*& longest) {
  if (json.is_structured()) {
    for (Json& inner : json) find_longest(inner, longest);
  } else if (json.is_string()) {
    const std::size_t size = json.get_ref<const std::string&>().size();
    if (longest == nullptr || size > longest->get_ref<const std::string&>().size()) longest = &json;
  }
}

// Half of it; never within a code point.
void cut(std::string& text) {
  std::size_t size = text.size() / 2;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) --size;
  text.resize(size);
  text += "…";
}

// False: no text is left to cut.
bool cut_longest(Json& json) {
  Json* longest = nullptr;
  find_longest(json, longest);
  if (longest == nullptr || longest->get_ref<const std::string&>().size() < kLeastCut) return false;
  cut(longest->get_ref<std::string&>());
  return true;
}

Json fitted_to(Json json, std::size_t most) {
  while (sent_bytes(json) > most && cut_longest(json)) {
  }
  return json;
}

// Lists of an answer that cannot be paged give up their last entries.
bool drop_last(Json& json) {
  Json* longest = nullptr;
  for (Json& member : json)
    if (member.is_array() && (longest == nullptr || member.size() > longest->size()))
      longest = &member;
  if (longest == nullptr || longest->empty()) return false;
  longest->erase(longest->size() - 1);
  json["shortened"] = true;
  return true;
}

// Columns in the order in which rows first have them; what a row lacks is null.
Json as_table(const std::vector<Json>& rows, const char* name) {
  std::vector<std::string> columns;
  for (const Json& row : rows)
    for (const auto& [key, value] : row.items())
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
  Json table = Json::array();
  for (const Json& row : rows) {
    Json values = Json::array();
    for (const std::string& key : columns) values.push_back(row.value(key, Json()));
    table.push_back(std::move(values));
  }
  return {{"columns", columns}, {name, std::move(table)}};
}

Json with_rows(const Json& head, const Rows& rows, const std::vector<Json>& some,
               std::size_t begin) {
  Json out = head;
  out["total"] = rows.size;
  if (rows.as_table) {
    out.update(as_table(some, rows.name));
  } else {
    out[rows.name] = some;
  }
  if (begin + some.size() < rows.size) out["next"] = begin + some.size();
  return out;
}

std::size_t cursor_of(const Arguments& arguments) {
  return static_cast<std::size_t>(arguments.whole("cursor").value_or(0));
}

}  // namespace

std::vector<Field> page_fields() {
  return {{.name = "cursor",
           .type = FieldType::whole,
           .about = "Where to go on: `next` of the answer before. Default 0"},
          {.name = "limit",
           .type = FieldType::whole,
           .about = "Most rows of one answer; by default as many as fit in 4 KB",
           .least = 1}};
}

Json page(Json head, const Rows& rows, const Arguments& arguments) {
  const std::size_t begin = std::min(cursor_of(arguments), rows.size);
  const std::size_t most = static_cast<std::size_t>(
      arguments.whole("limit").value_or(static_cast<std::int64_t>(rows.size)));
  const std::size_t end = begin + std::min(most, rows.size - begin);
  std::vector<Json> some;
  head = rounded(std::move(head));
  Json out = with_rows(head, rows, some, begin);
  if (sent_bytes(out) > kMostText / 2) {
    head = fitted_to(std::move(head), kMostText / 2);
    out = with_rows(head, rows, some, begin);
  }
  for (std::size_t row = begin; row < end; ++row) {
    some.push_back(rounded(rows.at(row)));
    Json longer = with_rows(head, rows, some, begin);
    if (sent_bytes(longer) > kMostText && some.size() > 1) break;
    out = fitted(std::move(longer));  // a first row that is too large is shown as far as it fits
  }
  return out;
}

Json page_text(Json head, std::string_view text, const Arguments& arguments) {
  const std::size_t begin = std::min(cursor_of(arguments), text.size());
  std::size_t size = std::min<std::size_t>(text.size() - begin, kMostText);
  Json out = std::move(head);
  const auto take = [&](std::size_t bytes) {
    out["text"] = text.substr(begin, bytes);
    out.erase("next");
    if (begin + bytes < text.size()) out["next"] = begin + bytes;
  };
  take(size);
  while (size > 0 && sent_bytes(out) > kMostText) {
    const std::size_t line = text.substr(begin, size - 1).rfind('\n');
    size = line == std::string_view::npos ? size / 2 : line + 1;
    take(size);
  }
  return out;
}

Json fitted(Json answer) {
  answer = rounded(std::move(answer));
  while (sent_bytes(answer) > kMostText && (cut_longest(answer) || drop_last(answer))) {
  }
  return answer;
}

Json tool_result(const Json& answer) {
  return {{"content", Json::array({{{"type", "text"}, {"text", line_of(answer)}}})},
          {"isError", false}};
}

Json tool_error(const std::string& message) {
  const std::string text = fitted_to(Json(message), kMostText).get<std::string>();
  return {{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", true}};
}

}  // namespace stepscope::mcp
