// SPDX-License-Identifier: Apache-2.0
// Real exports, where there are any: the folder STEPSCOPE_CORPUS_NSYS, or ../nsys beside
// STEPSCOPE_CORPUS.
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/importers/load.hpp"
#include "tests/core/importers/nsys/sums.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> exports() {
  const char* given = std::getenv("STEPSCOPE_CORPUS_NSYS");
  const char* beside = std::getenv("STEPSCOPE_CORPUS");
  if (given == nullptr && beside == nullptr) return {};
  const fs::path folder = given != nullptr ? fs::path(given) : fs::path(beside) / "../nsys";
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (sniff_nsys(entry.path())) out.push_back(entry.path());
  }
  return out;
}

std::string unpacked(const fs::path& path, const std::string& to) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::ofstream out(to, std::ios::binary);
  std::vector<char> block(1U << 20U);
  for (int got = 0; (got = gzread(file, block.data(), 1U << 20U)) > 0;)
    out.write(block.data(), got);
  gzclose(file);
  return to;
}

// Device rows with a call of the same correlation id in the same process.
std::int64_t linked_by_sql(const std::string& path) {
  std::string sql = "SELECT 'n', ";
  for (const char* table : {"KERNEL", "MEMCPY", "MEMSET"}) {
    sql += std::string("(SELECT count(*) FROM CUPTI_ACTIVITY_KIND_") + table +
           " d WHERE EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.correlationId = "
           "d.correlationId AND (r.globalTid & ~0xffffff) = d.globalPid)) + ";
  }
  return Sql(path).sums(sql + "0")["n"];
}

TEST(NsysCorpus, RealExportsAgreeWithPlainSql) {
  const std::vector<fs::path> paths = exports();
  if (paths.empty()) GTEST_SKIP() << "no real exports: STEPSCOPE_CORPUS_NSYS is unset";
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.string());
    const Scratch scratch;
    const Result<TraceData> data = read_nsys(path);
    ASSERT_TRUE(data.ok()) << data.error().message;
    expect_same_as_sql(unpacked(path, scratch / "plain.sqlite"), *data);
    EXPECT_EQ(data->health.missing_fields, 0U);
    const Result<Trace> again = load(scratch / "plain.sqlite");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->device_ops().size(), data->device_ops.size());
    std::int64_t linked = 0;
    for (DeviceOpId op = 0; op < again->device_ops().size(); ++op)
      linked += again->launch_of(op) != kNone ? 1 : 0;
    EXPECT_EQ(linked, linked_by_sql(scratch / "plain.sqlite"));
  }
}

}  // namespace
}  // namespace stepscope
