// SPDX-License-Identifier: Apache-2.0
// What is selected from the file is what the trace holds, and its views are those of the report.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "core/summary/summary.hpp"
#include "tests/core/exporters/exported_run.hpp"

namespace stepscope {
namespace {

std::int64_t select(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  const std::int64_t out = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return out;
}

TEST(SqliteExport, CountsAndSumsAreThoseOfTheTraceAndOfTheReport) {
  const ExportedRun run;
  run.written_by(write_sqlite);
  const auto count = [&](const char* table) {
    return static_cast<std::size_t>(select(run.path, std::string("SELECT count(*) FROM ") + table));
  };
  EXPECT_EQ(count("host_ranges"), run.trace.host_ranges().size());
  EXPECT_EQ(count("device_ops"), run.trace.device_ops().size());
  EXPECT_EQ(count("steps"), run.steps.list.size());
  EXPECT_EQ(count("segments"), run.attribution.process.segments.size());
  EXPECT_EQ(count("counters"), run.trace.data().counters.size());
  EXPECT_EQ(count("marks"), run.trace.data().marks.size());
  const Summary summary = summarize(run.trace, run.steps, run.attribution, {});
  for (const PartSum& part : summary.partition.parts) {
    EXPECT_EQ(select(run.path, "SELECT coalesce(sum(ns_total), 0) FROM partition WHERE cause = '" +
                                   std::string(name_of(part.cause)) + "'"),
              part.ns_total);
  }
  EXPECT_EQ(select(run.path, "SELECT sum(ns_total) FROM partition"),
            summary.partition.wall_ns_total);
  EXPECT_EQ(select(run.path, "SELECT count(*) FROM kernels WHERE launched_by IS NOT NULL"),
            select(run.path,
                   "SELECT count(*) FROM device_ops WHERE kind = 'kernel' AND "
                   "launched_by IS NOT NULL"));
  EXPECT_EQ(select(run.path, "SELECT sum(ns) FROM kernel_time"),
            select(run.path,
                   "SELECT sum(end_ns - begin_ns) FROM device_ops WHERE kind = "
                   "'kernel'"));
}

TEST(SqliteExport, IsNoTraceToRead) {
  const ExportedRun run;
  run.written_by(write_sqlite);
  const Result<Trace> trace = load(run.path);
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message, testing::HasSubstr("written by stepscope export"));
}

}  // namespace
}  // namespace stepscope
