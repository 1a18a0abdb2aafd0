// SPDX-License-Identifier: Apache-2.0
// One value of a JSON document that knows its place in it, for messages: "cells[12].ns_total".
// Reading a value of another type throws FieldError, which parse_report_document turns into a
// Result.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/attribution/cause.hpp"

namespace stepscope {

struct FieldError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Field {
 public:
  using Json = nlohmann::json;
  explicit Field(const Json& json, std::string path = "") : json_(&json), path_(std::move(path)) {}

  Field at(const char* name) const;                   // must be there
  std::optional<Field> find(const char* name) const;  // absent or null: nothing
  template <class F>
  void for_each(F visit) const {  // visits an array's elements
    if (!json_->is_array()) fail("must be an array");
    for (std::size_t i = 0; i < json_->size(); ++i)
      visit(Field((*json_)[i], path_ + "[" + std::to_string(i) + "]"));
  }

  std::string text() const;
  bool flag() const;
  double number() const;
  std::int64_t integer() const;
  std::uint64_t count() const;
  std::uint32_t small_count() const;

  std::string text_or(const char* name, std::string otherwise = "") const;
  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const Json* json_;
  std::string path_;
};

// Parses a whole text. Where it is no JSON, throws FieldError with the line and column.
nlohmann::json parse_json(std::string_view text);

// Values that many tables of a report's document hold.

Cause read_cause(const Field& field);

// Times in ns. What no run can have is refused, so that sums of two never overflow.
std::int64_t read_time(const Field& field);        // a length: not negative
std::int64_t read_difference(const Field& field);  // a difference of two lengths
std::int64_t read_moment(const Field& field);      // since the epoch

// Adds a row's time to the sum over all rows of `table`, of which there may be many.
void add_time(std::int64_t ns, const Field& table, std::int64_t& sum);

}  // namespace stepscope
