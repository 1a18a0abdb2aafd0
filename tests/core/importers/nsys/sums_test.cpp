// SPDX-License-Identifier: Apache-2.0
// Random exports of one to three processes: counts, times and bytes are those of plain SQL.
#include "tests/core/importers/nsys/sums.hpp"

#include <random>

namespace stepscope {
namespace {

class RandomExport {
 public:
  explicit RandomExport(std::uint64_t seed) : random_(seed) {}

  std::string sql() {
    std::string out = std::string("BEGIN;") + kStringTable + kKernelTable + kRuntimeTable +
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, "
                      "streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind);"
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, "
                      "streamId, correlationId, globalPid, bytes, memKind);";
    for (int id = 0; id < 8; ++id)
      out += "INSERT INTO StringIds VALUES (" + std::to_string(id) + ", 'name" +
             std::to_string(id) + "');";
    const auto rows = [&](const char* table, auto row) {
      for (std::int64_t n = below(60); n > 0; --n)
        out += std::string("INSERT INTO ") + table + " VALUES (" + row() + ");";
    };
    rows("CUPTI_ACTIVITY_KIND_KERNEL", [this] {
      return device() + list({below(8), below(8), 1, 1, 1, 32, 1, 1, 8, 0, 0, 0, 0});
    });
    rows("CUPTI_ACTIVITY_KIND_MEMCPY", [this] {
      return device() + list({below(1'000'000'000'000), below(14), below(8), below(8)});
    });
    rows("CUPTI_ACTIVITY_KIND_MEMSET", [this] { return device() + list({below(1000), below(8)}); });
    rows("CUPTI_ACTIVITY_KIND_RUNTIME", [this] {
      return times() + ", 0, " + gtid(1 + below(3), 7) + list({below(500), below(8), 0});
    });
    return out + "COMMIT;";
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  static std::string list(std::initializer_list<std::int64_t> numbers) {
    std::string out;
    for (const std::int64_t number : numbers) out += ", " + std::to_string(number);
    return out;
  }
  std::string times() {
    const std::int64_t begin = below(4) == 0 ? 0 : below(1'000'000'000'000);
    return std::to_string(begin) + ", " + std::to_string(begin + below(1'000'000));
  }
  std::string device() {
    return times() + list({below(3), 1, 7 + below(3), below(500)}) + ", " + gtid(1 + below(3), 0);
  }

  std::mt19937_64 random_;
};

TEST(NsysSums, RandomExportsAgreeWithPlainSql) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const NsysFile file;
    file.run(RandomExport(seed).sql());
    Result<TraceData> data = read_nsys(file.path);
    ASSERT_TRUE(data.ok()) << data.error().message;
    expect_same_as_sql(file.path, *data);
    const std::size_t ops = data->device_ops.size();
    const Trace trace = Trace::build(std::move(*data));
    EXPECT_EQ(trace.device_ops().size(), ops) << "an op at time 0 was taken for one without a time";
  }
}

}  // namespace
}  // namespace stepscope
