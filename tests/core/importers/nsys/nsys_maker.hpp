// SPDX-License-Identifier: Apache-2.0
// Small exports of nsys for tests: SQL into a fresh file.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <string>

#include "core/importers/nsys/nsys.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {

class Sql {
 public:
  explicit Sql(const std::string& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK); }
  ~Sql() { sqlite3_close(db_); }
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  void run(const std::string& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << (message == nullptr ? "" : message);
    sqlite3_free(message);
  }

  // The first column as text, the second as number, of each row.
  std::map<std::string, std::int64_t> sums(const std::string& sql) {
    std::map<std::string, std::int64_t> out;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sql;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const void* text = sqlite3_column_text(statement, 0);
      out[text == nullptr ? "" : static_cast<const char*>(text)] =
          sqlite3_column_int64(statement, 1);
    }
    sqlite3_finalize(statement);
    return out;
  }

 private:
  sqlite3* db_ = nullptr;
};

// nsys packs process and thread into one number.
inline std::int64_t global_tid(std::int64_t pid, std::int64_t tid) {
  return (std::int64_t{1} << 48U) | pid << 24U | tid;
}
inline std::string gtid(std::int64_t pid, std::int64_t tid) {
  return std::to_string(global_tid(pid, tid));
}

inline constexpr const char* kStringTable =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);";
inline constexpr const char* kKernelTable =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName "
    "INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, "
    "blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, "
    "dynamicSharedMemory INTEGER, graphId INTEGER, graphNodeId INTEGER);";
inline constexpr const char* kRuntimeTable =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);";
inline constexpr const char* kNvtxTable =
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
    "globalTid INTEGER, textId INTEGER, domainId INTEGER);";

struct NsysFile {
  Scratch scratch;
  std::string path = scratch / "run.sqlite";

  void run(const std::string& sql) const { Sql(path).run(sql); }
  TraceData read() const {
    Result<TraceData> data = read_nsys(path);
    EXPECT_TRUE(data.ok()) << data.error().message;
    return data.ok() ? std::move(data).value() : TraceData{};
  }
};

}  // namespace stepscope
