// SPDX-License-Identifier: Apache-2.0
// A run as tables of plain values, the same for SQLite and CSV: docs/export.md lists the columns.
// Times are nanoseconds. Empty values are unknown, or not there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/exporters/exported.hpp"

namespace stepscope::exporting {

using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;
using Values = std::vector<Value>;

enum class ColumnType : std::uint8_t { integer, real, text };

struct Column {
  const char* name;
  ColumnType type;
};

struct Table {
  std::string_view name;
  std::string_view about;
  std::vector<Column> columns;
  std::function<void(const Exported& run, const std::function<void(const Values& row)>& row)> each;
};

std::span<const Table> all_tables();

// Stable ids of columns "kind" and "direction": "op", "runtime_call", ...; "kernel", "memcpy", ...;
// "h2d", "d2h", "d2d", "h2h", "peer", empty for what is no copy.
std::string_view host_kind(HostKind kind);
std::string_view op_kind(DeviceOpKind kind);
std::string_view copy_direction(CopyKind kind);

}  // namespace stepscope::exporting
