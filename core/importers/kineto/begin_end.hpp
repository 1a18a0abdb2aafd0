// SPDX-License-Identifier: Apache-2.0
// Events that stand in a file as two: "ph": "B" where one begins, and "E" where it ends. An end
// closes the last that is open on its thread, of its name where there is one. Files are read in
// their own order where that is the order of time, else in the order of time, ends first.
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
  void begin(const Event& event, const Rows& before, FieldReader& fields);
  void end(const Event& event, FieldReader& fields);

  // Gives the rows their ends. Begins and ends that lack the other:
  struct Lonely {
    std::uint64_t begins = 0, ends = 0;
  };
  Lonely pair();

 private:
  struct Half {
    std::int64_t time = 0;
    std::size_t name = 0;  // its hash; 0: it has none
    bool is_end = false;
    std::vector<std::int64_t>* ends = nullptr;  // ends of the table; null: it became no row
    std::size_t row = 0;
  };
  using Halves = std::vector<Half>;
  using Thread = std::pair<std::string, std::string>;  // pid and tid as they are written

  static Thread thread_of(const Event& event);
  static std::size_t name_of(const Event& event);
  static bool close(Halves& open, const Half& end, bool any_name);
  static void pair(Halves& halves, Lonely& lonely);

  TraceData& data_;
  std::map<Thread, Halves> threads_;
};

}  // namespace stepscope::kineto
