// SPDX-License-Identifier: Apache-2.0
// How a report's document (stepscope.report/1) describes a struct: each member's name, once, in the
// order in which they are written. A visitor that writes (reports/json/field_writer.hpp) and one
// that reads (field_reader.hpp) walk the same description, so each is the inverse of the other.
//
//   need      a member that every document has
//   maybe     always written; documents of earlier versions may lack it
//   if_any    left out where it is empty, 0, absent or no rank
//   mean      a total that is written as its mean over the counted steps
//   derived   written for readers elsewhere; follows from other members
//   list      an array of objects; maybe_list, list_if_any as above; list_of: each as a function says
//   object    an object within; left out where it does not apply
//   wants     whether members that only some rows have are visited: always where one reads
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/summary/summary.hpp"

namespace stepscope::document {

// What a number or word is, where its type does not say it. An int64 is a length of time in ns.
enum class Meaning : std::uint8_t {
  moment,
  difference,
  any,
  rank,
  line_kind,
  hash,
  operation,
  clock_reason,
  section,
};

template <Meaning M, class T>
struct As {
  T& value;
};
template <Meaning M, class T>
As<M, T> as(T& value) {
  return {value};
}

template <class Row, class T>
concept Is = std::is_same_v<std::remove_const_t<Row>, T>;

inline double per_step(double total, std::uint64_t steps) {
  return steps == 0 ? 0 : total / static_cast<double>(steps);
}
inline double per_step(std::int64_t total, std::uint64_t steps) {
  return per_step(static_cast<double>(total), steps);
}
inline double per_step(std::uint64_t total, std::uint64_t steps) {
  return per_step(static_cast<double>(total), steps);
}

// "file", "line", "function" and "direction" of a row that may have no line.
template <class V, class Row>
void line_fields(V& v, Row& row) {
  if (!v.wants(!row.file.empty())) return;
  v.maybe("file", row.file);
  v.maybe("line", row.line);
  v.if_any("function", row.function);
}

}  // namespace stepscope::document
