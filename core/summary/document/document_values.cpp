// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_field.hpp"

#include <fmt/format.h>

namespace stepscope {
namespace {

constexpr std::int64_t kMostTime_ns = std::int64_t{1} << 61U;  // 73 years

std::int64_t read_ns(const Field& field) {
  const std::int64_t ns = field.integer();
  if (ns > kMostTime_ns || ns < -kMostTime_ns) field.fail("is no time that a run can have");
  return ns;
}

}  // namespace

Cause read_cause(const Field& field) {
  const std::string name = field.text();
  const std::optional<Cause> cause = cause_named(name);
  if (!cause) field.fail(fmt::format("'{}' is no cause that this version knows", name));
  return *cause;
}

std::int64_t read_time(const Field& field) {
  const std::int64_t ns = read_ns(field);
  if (ns < 0) field.fail("must not be negative");
  return ns;
}

std::int64_t read_difference(const Field& field) {
  return read_ns(field);
}

std::int64_t read_moment(const Field& field) {
  return read_ns(field);
}

void add_time(std::int64_t ns, const Field& table, std::int64_t& sum) {
  if (__builtin_add_overflow(sum, ns, &sum)) table.fail("sum to more than a time can be");
}

}  // namespace stepscope
