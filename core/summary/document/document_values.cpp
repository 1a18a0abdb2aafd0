// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_values.hpp"

#include <fmt/format.h>

namespace stepscope {

Cause read_cause(const Field& field) {
  const std::string name = field.text();
  const std::optional<Cause> cause = cause_named(name);
  if (!cause) field.fail(fmt::format("'{}' is no cause that this version knows", name));
  return *cause;
}

std::int64_t read_time(const Field& field) {
  const std::int64_t ns = field.integer();
  if (ns < 0) field.fail("must not be negative");
  return ns;
}

}  // namespace stepscope
