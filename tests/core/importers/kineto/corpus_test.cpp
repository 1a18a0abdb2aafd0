// SPDX-License-Identifier: Apache-2.0
// Real traces against tests/reference/kineto_reference.py: counts by category, every begin and end.
// The folder is STEPSCOPE_CORPUS where set, else the two small traces in tests/data/kineto.
#include <simdjson.h>

#include <numeric>

#include "tests/core/importers/kineto/kineto_maker.hpp"
#include "tests/support/corpus.hpp"

namespace stepscope {
namespace {

std::uint64_t number(const simdjson::dom::element& object, std::string_view key) {
  std::uint64_t value = 0;
  EXPECT_EQ(object[key].get(value), simdjson::SUCCESS) << key;
  return value;
}

std::uint64_t count(const std::vector<HostKind>& kinds, HostKind kind) {
  return static_cast<std::uint64_t>(std::count(kinds.begin(), kinds.end(), kind));
}

std::uint64_t count(const std::vector<DeviceOpKind>& kinds, DeviceOpKind kind) {
  return static_cast<std::uint64_t>(std::count(kinds.begin(), kinds.end(), kind));
}

void expect_checksum(const simdjson::dom::element& expected, const std::vector<std::int64_t>& begin,
                     const std::vector<std::int64_t>& end) {
  std::uint64_t begins = 0;
  std::uint64_t lengths = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    begins += static_cast<std::uint64_t>(begin[i]);
    lengths += static_cast<std::uint64_t>(end[i] - begin[i]);
  }
  EXPECT_EQ(begin.size(), number(expected, "rows"));
  EXPECT_EQ(begins & ~(std::uint64_t{1} << 63U), number(expected, "begin_sum"));
  EXPECT_EQ(lengths, number(expected, "length_sum"));
}

void expect_rows(const simdjson::dom::element& rows, const TraceData& data) {
  const std::vector<HostKind>& kinds = data.host_ranges.kind;
  const std::uint64_t nodes = number(rows, "backward_node");
  EXPECT_EQ(count(kinds, HostKind::backward_node), nodes);
  EXPECT_EQ(count(kinds, HostKind::op), number(rows, "cpu_op") - nodes);
  EXPECT_EQ(count(kinds, HostKind::user_scope), number(rows, "user_annotation"));
  EXPECT_EQ(count(kinds, HostKind::python_function), number(rows, "python_function"));
  EXPECT_EQ(count(kinds, HostKind::overhead), number(rows, "overhead"));
  EXPECT_EQ(count(kinds, HostKind::runtime_call), number(rows, "cuda_runtime"));
  EXPECT_EQ(count(kinds, HostKind::driver_call), number(rows, "cuda_driver"));
  EXPECT_EQ(data.calls.size(), number(rows, "cuda_runtime") + number(rows, "cuda_driver"));
  EXPECT_EQ(count(data.device_ops.kind, DeviceOpKind::kernel), number(rows, "kernel"));
  EXPECT_EQ(count(data.device_ops.kind, DeviceOpKind::memcpy), number(rows, "gpu_memcpy"));
  EXPECT_EQ(count(data.device_ops.kind, DeviceOpKind::memset), number(rows, "gpu_memset"));
}

std::uint64_t ops_with_launch(const Trace& trace) {
  std::uint64_t linked = 0;
  for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op)
    linked += trace.launch_of(op) != kNone ? 1U : 0U;
  return linked;
}

TEST(KinetoCorpus, AgreesWithThePythonReference) {
  const std::vector<std::filesystem::path> traces = compared_traces();
  ASSERT_FALSE(traces.empty()) << "STEPSCOPE_CORPUS names a folder without traces";
  for (const std::filesystem::path& path : traces) {
    SCOPED_TRACE(path.string());
    const std::string text =
        output_of("python3 '" STEPSCOPE_SOURCE_DIR "/tests/reference/kineto_reference.py' '" +
                  path.string() + "'");
    simdjson::dom::parser parser;
    simdjson::dom::element reference;
    ASSERT_EQ(parser.parse(text).get(reference), simdjson::SUCCESS);
    Result<TraceData> data = read_kineto(path);
    ASSERT_TRUE(data.ok()) << data.error().message;
    expect_rows(reference["rows"], *data);
    expect_checksum(reference["checksums"]["host"], data->host_ranges.begin, data->host_ranges.end);
    expect_checksum(reference["checksums"]["device"], data->device_ops.begin, data->device_ops.end);
    EXPECT_EQ(data->health.missing_fields, 0U);
    EXPECT_EQ(data->health.skipped_events, 0U);
    EXPECT_EQ(ops_with_launch(Trace::build(std::move(*data))),
              number(reference["rows"], "ops_with_launch"));
  }
}

}  // namespace
}  // namespace stepscope
