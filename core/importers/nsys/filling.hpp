// SPDX-License-Identifier: Apache-2.0
// What the readers of the tables share: the export, the trace that is being filled, and how its
// times, names and threads are stored.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/importers/nsys/database.hpp"
#include "core/importers/nsys/entities.hpp"
#include "core/importers/nsys/names.hpp"
#include "core/model/trace.hpp"
#include "core/support/memory_room.hpp"
#include "core/support/progress.hpp"

namespace stepscope::nsys {

class Filling {
 public:
  Filling(const Database& from, const Progress& progress, const MemoryRoom& room,
          std::int64_t base_ns)
      : database(from), base_ns_(base_ns), progress_(progress), room_(room) {}
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;

  const Database& database;
  TraceData data;
  Names names{database, data.strings};
  Entities entities{data};

  // NULL and times beyond a hundred years of the session give 0, "no time": see placed().
  std::int64_t time(const Row& row, int column) const {
    constexpr std::int64_t kLatest_ns = std::int64_t{1} << 61U;
    const std::int64_t relative = row.integer(column, kLatest_ns);
    return relative >= kLatest_ns || relative <= -kLatest_ns ? 0 : relative + base_ns_;
  }
  // False, and counted, for host rows that cannot be placed; device rows are counted by the model.
  bool placed(std::int64_t begin) {
    data.health.zero_timestamps += begin == 0 ? 1U : 0U;
    return begin != 0;
  }

  // Reads a table, shows progress over all of them, and stops where memory ends.
  Status each(const std::string& table, Database::Columns columns, const Database::Visitor& visit) {
    if (!has_times(table, columns)) return Done{};
    Status room = Done{};
    Status read = database.each_while(table, columns, [&](const Row& row) {
      visit(row);
      if (++done_ % kRowsBetween != 0) return true;
      report_progress(progress_, done_ < total_ ? done_ : total_, total_);
      room = room_.check(done_, total_);
      return room.ok();
    });
    return room.ok() ? read : room;
  }
  void expect(std::uint64_t rows) { total_ += rows; }

  // Appends a host range; returns its row.
  RangeId add_range(std::int64_t begin, std::int64_t end, StringId name, ThreadId thread,
                    HostKind kind) {
    HostRanges& h = data.host_ranges;
    h.begin.push_back(begin);
    h.end.push_back(end);
    h.name.push_back(name);
    h.thread.push_back(thread);
    h.kind.push_back(kind);
    h.category.push_back(0);
    h.site.push_back(kNone);
    h.sequence.push_back(kNoSequence);
    h.forward_thread.push_back(kNone);
    return static_cast<RangeId>(h.size() - 1);
  }

 private:
  // Where a version calls a column of times otherwise, nothing of the table can be placed.
  bool has_times(const std::string& table, Database::Columns columns) {
    if (!database.has(table)) return true;
    for (const std::string time : {"start", "end"}) {
      const bool is_wanted = std::find(columns.begin(), columns.end(), time) != columns.end();
      if (!is_wanted || database.has(table, time)) continue;
      if (database.rows(table) > 0)
        data.health.notes.push_back(
            fmt::format("the table {} of this export has no column \"{}\" (it has {}), so nothing "
                        "of it is read: "
                        "export it again with another version of nsys",
                        table, time, database.columns(table)));
      return false;
    }
    return true;
  }

  static constexpr std::uint64_t kRowsBetween = 8192;

  std::int64_t base_ns_;
  const Progress& progress_;
  const MemoryRoom& room_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace stepscope::nsys
