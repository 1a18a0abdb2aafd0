// SPDX-License-Identifier: Apache-2.0
// Events that stand in a file as two: "ph": "B" where one begins, and "E" behind it where it ends. An
// end closes the last that is open on its thread, of its name where there is one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/importers/kineto/field_reader.hpp"

namespace stepscope::kineto {

class BeginEnd {
 public:
  explicit BeginEnd(TraceData& data) : data_(data) {}

  // How many rows there are, to be asked before an event is placed.
  struct Rows {
    std::size_t host_ranges = 0, device_ops = 0, syncs = 0;
  };
  Rows rows() const;
  // The event that became a row behind `before`, or none that the model holds.
  void begin(const Event& event, const Rows& before);
  // False where nothing is open on the thread.
  bool end(const Event& event, FieldReader& fields);
  std::uint64_t open() const;

 private:
  struct Row {
    std::vector<std::int64_t>* ends = nullptr;  // ends of the table; null: the event became no row
    std::size_t row = 0;
    std::string name;
  };
  using Thread = std::pair<std::string, std::string>;  // pid and tid as they are written

  static Thread thread_of(const Event& event);

  TraceData& data_;
  std::map<Thread, std::vector<Row>> open_;  // the innermost last
};

}  // namespace stepscope::kineto
