// SPDX-License-Identifier: Apache-2.0
// What an imported export must agree on with plain SQL over the same tables, to the nanosecond.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "core/importers/nsys/names.hpp"
#include "core/model/trace.hpp"
#include "tests/core/importers/nsys/nsys_maker.hpp"

namespace stepscope {

using Sums = std::map<std::string, std::int64_t>;

inline Sums device_sums(const TraceData& data, DeviceOpKind kind, bool bytes) {
  Sums out;
  const DeviceOps& d = data.device_ops;
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (d.kind[i] != kind) continue;
    const std::string key = kind == DeviceOpKind::kernel
                                ? std::string(data.strings.view(d.name[i]))
                                : std::to_string(static_cast<int>(d.copy_kind[i]));
    out[key] += bytes ? static_cast<std::int64_t>(d.bytes[i]) : d.end[i] - d.begin[i];
  }
  return out;
}

inline Sums with_kinds(const Sums& by_code, CopyKind (*kind_of)(std::int64_t)) {
  Sums out;
  for (const auto& [code, sum] : by_code)
    out[std::to_string(static_cast<int>(kind_of(std::stoll(code))))] += sum;
  return out;
}

inline std::int64_t total(const Sums& sums) {
  std::int64_t out = 0;
  for (const auto& [key, sum] : sums) out += sum;
  return out;
}

inline void expect_same_as_sql(const std::string& database, const TraceData& data) {
  Sql sql(database);
  const auto count = [&data](DeviceOpKind kind) {
    return std::count(data.device_ops.kind.begin(), data.device_ops.kind.end(), kind);
  };
  const auto rows = [&sql](const char* table) {
    return sql.sums(std::string("SELECT 'n', count(*) FROM ") + table)["n"];
  };
  EXPECT_EQ(count(DeviceOpKind::kernel), rows("CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_EQ(count(DeviceOpKind::memcpy), rows("CUPTI_ACTIVITY_KIND_MEMCPY"));
  EXPECT_EQ(count(DeviceOpKind::memset), rows("CUPTI_ACTIVITY_KIND_MEMSET"));
  EXPECT_EQ(static_cast<std::int64_t>(data.calls.size()), rows("CUPTI_ACTIVITY_KIND_RUNTIME"));
  EXPECT_EQ(device_sums(data, DeviceOpKind::kernel, false),
            sql.sums("SELECT s.value, sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                     "StringIds s ON s.id = k.demangledName GROUP BY 1"));
  for (const bool bytes : {false, true}) {
    const std::string value = bytes ? "sum(bytes)" : "sum(end - start)";
    EXPECT_EQ(device_sums(data, DeviceOpKind::memcpy, bytes),
              with_kinds(sql.sums("SELECT copyKind, " + value +
                                  " FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1"),
                         nsys::copy_kind));
    EXPECT_EQ(total(device_sums(data, DeviceOpKind::memset, bytes)),
              sql.sums("SELECT 'n', " + value + " FROM CUPTI_ACTIVITY_KIND_MEMSET")["n"]);
  }
}

}  // namespace stepscope
