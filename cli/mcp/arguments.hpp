// SPDX-License-Identifier: Apache-2.0
// The arguments of a tool: a list of fields, from which both its JSON schema and the check of a
// call's arguments are made, so that the two cannot differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mcp/message.hpp"
#include "core/support/result.hpp"

namespace stepscope::mcp {

enum class FieldType : std::uint8_t { text, whole, flag, texts, object };

struct Field {
  std::string_view name;
  FieldType type = FieldType::text;
  std::string about;  // teaches: what it does, an example, what holds without it
  bool required = false;
  std::vector<std::string_view> choices;  // allowed texts; empty: any
  std::int64_t least = 0;                 // least whole number
  std::int64_t most = INT64_MAX;
};

// JSON schema (draft 2020-12) of an object with these fields and no others.
Json schema_of(const std::vector<Field>& fields);

class Arguments {
 public:
  // Errors: usage, naming the field: unknown, missing, of another type, not among the choices, out
  // of range. null is as if it were not given.
  static Result<Arguments> read(const std::vector<Field>& fields, const Json& given);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string text(std::string_view name, std::string_view otherwise = "") const;
  std::optional<std::int64_t> whole(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  Json object(std::string_view name) const;

 private:
  const Json* find(std::string_view name) const;

  Json values_;
};

}  // namespace stepscope::mcp
