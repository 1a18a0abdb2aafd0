// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/support/words.hpp"

namespace stepscope::mcp {
namespace {

std::string_view type_name(FieldType type) {
  switch (type) {
    case FieldType::text:
      return "string";
    case FieldType::whole:
      return "integer";
    case FieldType::flag:
      return "boolean";
    case FieldType::texts:
      return "array";
    case FieldType::object:
      break;
  }
  return "object";
}

Json field_schema(const Field& field) {
  Json out = {{"type", type_name(field.type)}, {"description", field.about}};
  if (!field.choices.empty()) out["enum"] = field.choices;
  if (field.type == FieldType::texts) out["items"] = {{"type", "string"}};
  if (field.type != FieldType::whole) return out;
  out["minimum"] = field.least;
  if (field.most != INT64_MAX) out["maximum"] = field.most;
  return out;
}

// 10.0 is the integer 10, as JSON schema has it.
bool is_whole(const Json& value) {
  if (!value.is_number_float()) return value.is_number_integer();
  const double number = value.get<double>();
  return std::abs(number) < 9e15 && std::floor(number) == number;
}

bool is_texts(const Json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_string(); });
}

bool has_type(const Json& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::whole:
      return is_whole(value);
    case FieldType::flag:
      return value.is_boolean();
    case FieldType::texts:
      return is_texts(value);
    case FieldType::object:
      break;
  }
  return value.is_object();
}

Error unknown_field(std::string_view name, const std::vector<Field>& fields) {
  std::vector<std::string_view> names;
  for (const Field& field : fields) names.push_back(field.name);
  const std::string_view near = nearest(name, names);
  return usage_error(
      near.empty() ? fmt::format("{}: no such field; there are: {}", name, fmt::join(names, ", "))
                   : fmt::format("{}: no such field; did you mean '{}'?", name, near));
}

Error missing(const Field& field) {
  if (field.choices.empty())
    return usage_error(fmt::format("{}: is missing: {}", field.name, field.about));
  return usage_error(
      fmt::format("{}: is missing; one of: {}", field.name, fmt::join(field.choices, ", ")));
}

Status check_choice(const Field& field, const Json& value) {
  const std::string word = value.get<std::string>();
  if (std::find(field.choices.begin(), field.choices.end(), word) != field.choices.end())
    return Done{};
  return usage_error(
      fmt::format("{}: '{}' is none of: {}", field.name, word, fmt::join(field.choices, ", ")));
}

Status check_range(const Field& field, const Json& value) {
  // An unsigned number beyond int64 would wrap.
  const bool huge = value.is_number_unsigned() &&
                    value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  const auto number = huge ? INT64_MAX : value.get<std::int64_t>();
  if (!huge && number >= field.least && number <= field.most) return Done{};
  if (field.most == INT64_MAX)
    return usage_error(fmt::format("{}: must be an integer from {} on", field.name, field.least));
  return usage_error(fmt::format("{}: must be from {} to {}", field.name, field.least, field.most));
}

Status check_field(const Field& field, const Json& value) {
  if (!has_type(value, field.type))
    return usage_error(
        fmt::format("{}: must be {} {}{}", field.name,
                    field.type == FieldType::whole || field.type == FieldType::texts ||
                            field.type == FieldType::object
                        ? "an"
                        : "a",
                    type_name(field.type), field.type == FieldType::texts ? " of strings" : ""));
  if (!field.choices.empty()) return check_choice(field, value);
  return field.type == FieldType::whole ? check_range(field, value) : Status(Done{});
}

}  // namespace

Json schema_of(const std::vector<Field>& fields) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : fields) {
    properties[std::string(field.name)] = field_schema(field);
    if (field.required) required.push_back(field.name);
  }
  Json out = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = std::move(required);
  out["additionalProperties"] = false;
  return out;
}

Result<Arguments> Arguments::read(const std::vector<Field>& fields, const Json& given) {
  Arguments out;
  out.values_ = Json::object();
  for (const auto& [name, value] : given.items()) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&name = name](const Field& one) { return one.name == name; });
    if (field == fields.end()) return unknown_field(name, fields);
    if (value.is_null()) continue;
    const Status checked = check_field(*field, value);
    if (!checked) return checked.error();
    out.values_[name] = value;
  }
  for (const Field& field : fields)
    if (field.required && !out.has(field.name)) return missing(field);
  return out;
}

const Json* Arguments::find(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  return found == values_.end() ? nullptr : &*found;
}

std::string Arguments::text(std::string_view name, std::string_view otherwise) const {
  const Json* value = find(name);
  return value == nullptr ? std::string(otherwise) : value->get<std::string>();
}

std::optional<std::int64_t> Arguments::whole(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return {};
  return value->get<std::int64_t>();
}

bool Arguments::flag(std::string_view name) const {
  const Json* value = find(name);
  return value != nullptr && value->get<bool>();
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
  const Json* value = find(name);
  return value == nullptr ? std::vector<std::string>() : value->get<std::vector<std::string>>();
}

Json Arguments::object(std::string_view name) const {
  const Json* value = find(name);
  return value == nullptr ? Json() : *value;
}

}  // namespace stepscope::mcp
