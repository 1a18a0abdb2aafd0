// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/checkpoint_fields.hpp"

#include <fmt/format.h>

namespace stepscope::trainers {

Dictionary checkpoint_fields(const char* schema, std::int64_t steps,
                             std::span<const RunNumber> numbers, const NamedTensors& state) {
  Dictionary all = empty_dictionary();
  all.insert(c10::IValue("schema"), c10::IValue(schema));
  all.insert(c10::IValue("step"), c10::IValue(steps));
  for (const auto& [name, flag, number] : numbers)
    all.insert(c10::IValue(name), c10::IValue(number));
  for (const auto& [name, tensor] : state)
    all.insert(c10::IValue(name), c10::IValue(tensor.detach().cpu()));
  return all;
}

Status check_run_numbers(const std::string& path, const Dictionary& all,
                         std::span<const RunNumber> numbers) {
  for (const auto& [name, flag, expected] : numbers) {
    const c10::IValue* number = find(all, name);
    if (number == nullptr || !number->isInt() || number->toInt() != expected)
      return bad_input(fmt::format(
          "checkpoint {}: it was written with {} {}, this run has {}", path, flag,
          number != nullptr && number->isInt() ? std::to_string(number->toInt()) : "unknown",
          expected));
  }
  return Done{};
}

bool has_schema(const Dictionary& all, const char* schema) {
  return text_in(all, "schema") == schema;
}

std::string text_in(const Dictionary& all, const char* name) {
  const c10::IValue* text = find(all, name);
  return text != nullptr && text->isString() ? text->toStringRef() : "";
}

std::int64_t number_in(const Dictionary& all, const char* name, std::int64_t otherwise) {
  const c10::IValue* number = find(all, name);
  return number != nullptr && number->isInt() ? number->toInt() : otherwise;
}

Result<std::int64_t> steps_in(const std::string& path, const Dictionary& all) {
  const std::int64_t steps = number_in(all, "step", -1);
  if (steps >= 0) return steps;
  return bad_input(fmt::format("checkpoint {}: it does not say how many steps were made", path));
}

}  // namespace stepscope::trainers
