// SPDX-License-Identifier: Apache-2.0
// The file is valid JSON, and our own importer reads the same run from it.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/exporters/json_text.hpp"
#include "tests/core/exporters/exported_run.hpp"

namespace stepscope {
namespace {

TEST(Chrome, IsReadBackAsTheSameRun) {
  const ExportedRun run;
  const auto document = nlohmann::json::parse(run.written_by(write_chrome));
  EXPECT_EQ(document["schemaVersion"], 1);
  const Result<Trace> back = load(run.path);
  ASSERT_TRUE(back.ok()) << back.error().message;
  const DeviceOps& a = run.trace.device_ops();
  const DeviceOps& b = back->device_ops();
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.copy_kind, b.copy_kind);
  EXPECT_EQ(run.trace.calls().size(), back->calls().size());
  const auto in_order = [](std::vector<std::int64_t> times) {
    std::sort(times.begin(), times.end());
    return times;
  };
  EXPECT_EQ(in_order(run.trace.host_ranges().begin), in_order(back->host_ranges().begin));
  EXPECT_EQ(in_order(run.trace.host_ranges().end), in_order(back->host_ranges().end));
  for (DeviceOpId op = 0; op < a.size(); ++op)
    EXPECT_EQ(run.trace.launch_of(op) == kNone, back->launch_of(op) == kNone);
}

TEST(Chrome, TextsAndNumbersAreEscaped) {
  EXPECT_EQ(exporting::quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
  EXPECT_EQ(exporting::json_number(std::numeric_limits<double>::infinity()), "null");
}

}  // namespace
}  // namespace stepscope
