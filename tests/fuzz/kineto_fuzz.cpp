// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Kineto file: no crash, and the same answer through a tiny and a large window. A
// trace that loads must also build, with every id in range and no event ending before it begins.
//
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -I. tests/fuzz/kineto_fuzz.cpp
//           core/importers/byte_source.cpp core/importers/kineto/*.cpp core/model/*.cpp
//           -lsimdjson -lz -lfmt -o kineto_fuzz && ./kineto_fuzz
//
// Compiled without libFuzzer (STEPSCOPE_FUZZ_AS_TEST) it is a test over a fixed list of mutations.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/importers/kineto/kineto.hpp"

namespace stepscope {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "kineto_fuzz: %s\n", what);
  std::abort();
}

// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size)
      : descriptor_(::memfd_create("kineto_fuzz", 0)) {
    require(::write(descriptor_, data, size) == static_cast<ssize_t>(size),
            "cannot write the input");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

bool in_range(const std::vector<std::uint32_t>& ids, std::size_t rows) {
  for (const std::uint32_t id : ids) {
    if (id != kNone && id >= rows) return false;
  }
  return true;
}

void check(const TraceData& data) {
  const std::size_t strings = data.strings.size();
  require(in_range(data.host_ranges.name, strings) && in_range(data.device_ops.name, strings) &&
              in_range(data.marks.name, strings) && in_range(data.counters.track, strings),
          "a name out of range");
  require(in_range(data.host_ranges.thread, data.threads.size()) &&
              in_range(data.marks.thread, data.threads.size()),
          "a thread out of range");
  require(in_range(data.device_ops.stream, data.streams.size()) &&
              in_range(data.syncs.stream, data.streams.size()) &&
              in_range(data.calls.stream, data.streams.size()),
          "a stream out of range");
  require(in_range(data.host_ranges.site, data.sites.size()), "a site out of range");
  for (const Thread& thread : data.threads)
    require(thread.process < data.processes.size(), "a thread without process");
  for (const Stream& stream : data.streams)
    require(stream.process < data.processes.size(), "a stream without process");
}

void check(const Trace& trace) {
  for (RangeId i = 0; i < trace.host_ranges().size(); ++i) {
    require(trace.host_ranges().end[i] >= trace.host_ranges().begin[i],
            "a range ends before it begins");
  }
  for (DeviceOpId i = 0; i < trace.device_ops().size(); ++i) {
    require(trace.device_ops().end[i] >= trace.device_ops().begin[i],
            "a device op ends before it begins");
  }
}

// A damaged gzip file may be wrong twice, in its text and in its checksum: which is met first
// depends on how far a window reads ahead.
bool same_error(const Error& a, const Error& b, bool compressed) {
  return a.code == b.code && (compressed || a.message == b.message);
}

void try_input(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  Result<TraceData> narrow = read_kineto(file.path(), {}, {.window_bytes = 1 + size % 61});
  Result<TraceData> wide = read_kineto(file.path(), {}, {.window_bytes = 1U << 16U});
  require(narrow.ok() == wide.ok(), "the size of the window decides whether the file loads");
  if (!wide.ok())
    return require(same_error(narrow.error(), wide.error(), size > 1 && data[0] == 0x1f),
                   "the size of the window changes the error");
  require(narrow->host_ranges.begin == wide->host_ranges.begin &&
              narrow->device_ops.end == wide->device_ops.end &&
              narrow->health.missing_fields == wide->health.missing_fields,
          "the size of the window changes the trace");
  check(*wide);
  check(Trace::build(std::move(*wide)));
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepscope::try_input(data, size);
  return 0;
}

#ifdef STEPSCOPE_FUZZ_AS_TEST
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/fuzz/mutations.hpp"

namespace stepscope {
namespace {

// The first events of a real trace, as text.
std::string head_of(const char* path, std::size_t bytes) {
  std::string text(bytes, '\0');
  const gzFile file = gzopen(path, "rb");
  const int got = file == nullptr ? 0 : gzread(file, text.data(), static_cast<unsigned>(bytes));
  if (file != nullptr) gzclose(file);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text.substr(0, text.rfind("\n  },")) + "\n  }], \"traceName\": \"\"}";
}

const char* const kSmall =
    R"json({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H200"}],
"distributedInfo": {"rank": 1, "world_size": 2}, "baseTimeNanoseconds": 1790857026000000000, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "a\u00e9\"", "pid": 1, "tid": 2, "ts": 88.448, "dur": 5.756, "args": {"Sequence number": 7, "Fwd thread id": 1}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 90.5, "dur": 3.648, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 77, "grid": [768, 1, 1], "block": [128, 1, 1]}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 95, "dur": 1, "args": {"stream": 7, "bytes": 24}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 89, "dur": 1, "args": {"correlation": 77}},
{"ph": "X", "cat": "cuda_sync", "name": "Event Sync", "pid": 0, "tid": 1, "ts": 8, "dur": 1, "args": {"cuda_sync_kind": "Event Sync", "wait_on_cuda_event_record_corr_id": 77, "wait_on_cuda_event_id": 3, "stream": -1, "correlation": 78, "context": 1}},
{"ph": "X", "cat": "python_function", "name": "x.py(3): f", "pid": 1, "tid": 1, "ts": 80, "dur": 50},
{"ph": "C", "name": "sm", "pid": 0, "ts": 2, "args": {"active": 97.5}},
{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 2, "ts": 1.5, "args": {"Total Allocated": 7, "Device Type": 1}},
{"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7 "}}], "traceName": "t"})json";

// Begins and ends, a list without a document, events without categories.
const char* const kPairs =
    R"json([{"ph": "B", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 8.5},
{"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 9, "args": {"device": 0, "stream": 7, "correlation": 1}},
{"ph": "B", "cat": "cuda_sync", "name": "Event Sync", "pid": 1, "tid": 2, "ts": 9.5},
{"ph": "E", "pid": 1, "tid": 2, "ts": 10}, {"ph": "E", "pid": 0, "tid": 7, "ts": 12}, {"ph": "E", "pid": 1, "tid": 2, "ts": 7},
{"ph": "X", "name": "aten::mm", "pid": "CPU functions", "tid": 1, "ts": 1, "dur": 2},
{"ph": "X", "name": "gemm", "pid": "CUDA functions", "tid": "7", "ts": 2, "dur": 2}])json";

std::vector<std::string> tokens() {
  return {"\"",
          "\\",
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "null",
          "NaN",
          "-1",
          "1e400",
          "9223372036854775807",
          "\\u",
          "\\ud83d",
          "\"ts\": ",
          "\"args\": {",
          "\"pid\": \"",
          "\"traceEvents\": [",
          "\xFF",
          "\xEF\xBB\xBF",
          "-9223372036854775808",
          "0.0005",
          "\"cat\": \"kernel\"",
          "\"ph\": \"B\"",
          "\"ph\": \"E\"",
          std::string(1, '\0'),
          std::string(300, '['),
          std::string(40, ' ')};
}

TEST(KinetoFuzz, MutationsOfTracesNeverCrash) {
  const std::string real =
      head_of(STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz", 6000);
  ASSERT_GT(real.size(), 5000U);
  Mutations mutations({kSmall, kPairs, real}, tokens(), 20261121);
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = mutations.next();
    try_input(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
}

TEST(KinetoFuzz, MutationsOfCompressedTracesNeverCrash) {
  std::string packed(4096, '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string text = kSmall;
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  Mutations mutations({packed}, {std::string(2, '\0'), "\x1f\x8b", "x"}, 7);
  for (int i = 0; i < 5'000; ++i) {
    const std::string input = mutations.next();
    try_input(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
}

}  // namespace
}  // namespace stepscope
#endif
