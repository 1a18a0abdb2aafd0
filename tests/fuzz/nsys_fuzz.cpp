// SPDX-License-Identifier: Apache-2.0
// Any bytes as an SQLite export of nsys: no crash, and a trace that loads also builds, with every
// id in range and no event ending before it begins.
//
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -I. tests/fuzz/nsys_fuzz.cpp
//           core/importers/byte_source.cpp core/importers/nsys/[!w]*.cpp
//           core/importers/kineto/json/text.cpp core/model/*.cpp -lsqlite3 -lz -lfmt -o nsys_fuzz
//           &&
//           ./nsys_fuzz
//
// Compiled without libFuzzer (STEPSCOPE_FUZZ_AS_TEST) it is a test over a fixed list of mutations.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/importers/nsys/nsys.hpp"

namespace stepscope {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "nsys_fuzz: %s\n", what);
  std::abort();
}

bool all_below(const std::vector<std::uint32_t>& ids, std::size_t rows) {
  for (const std::uint32_t id : ids) {
    if (id != kNone && id >= rows) return false;
  }
  return true;
}

void check(const TraceData& data) {
  const std::size_t strings = data.strings.size();
  require(all_below(data.host_ranges.name, strings) && all_below(data.device_ops.name, strings) &&
              all_below(data.host_ranges.category, strings) && all_below(data.marks.name, strings),
          "a name out of range");
  require(all_below(data.host_ranges.thread, data.threads.size()) &&
              all_below(data.graph_nodes.thread, data.threads.size()) &&
              all_below(data.marks.thread, data.threads.size()),
          "a thread out of range");
  require(all_below(data.device_ops.stream, data.streams.size()) &&
              all_below(data.calls.stream, data.streams.size()) &&
              all_below(data.syncs.stream, data.streams.size()),
          "a stream out of range");
  for (const Thread& thread : data.threads)
    require(thread.process < data.processes.size(), "a thread without process");
  for (const Stream& stream : data.streams)
    require(stream.process < data.processes.size(), "a stream without process");
}

void check(const Trace& trace) {
  const auto ordered = [](const auto& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table.end[i] < table.begin[i]) return false;
    }
    return true;
  };
  require(ordered(trace.host_ranges()), "a range ends before it begins");
  require(ordered(trace.device_ops()), "a device op ends before it begins");
}

// SQLite wants a file with a name.
std::string scratch_path() {
  const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  return std::string(folder) + "/nsys_fuzz." + std::to_string(getpid());
}

bool try_input(const std::uint8_t* bytes, std::size_t size) {
  const std::string path = scratch_path();
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char*>(static_cast<const void*>(bytes)),
             static_cast<std::streamsize>(size));
  Result<TraceData> data = read_nsys(path);
  unlink(path.c_str());
  if (!data.ok()) {
    require(!data.error().message.empty(), "an error without a message");
    return false;
  }
  check(*data);
  check(Trace::build(std::move(*data)));
  return true;
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepscope::try_input(data, size);
  return 0;
}

#ifdef STEPSCOPE_FUZZ_AS_TEST
#include <iterator>

#include "tests/core/importers/nsys/nsys_maker.hpp"
#include "tests/fuzz/mutations.hpp"

namespace stepscope {
namespace {

// Every table that is read, in pages as small as SQLite makes them, so that damage hits structure.
std::string small_export() {
  const NsysFile file;
  const std::string process = gtid(5, 0);
  const std::string thread = gtid(5, 6);
  file.run(std::string("PRAGMA page_size = 512;") + kStringTable + kKernelTable + kRuntimeTable +
           kNvtxTable +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
           "correlationId, globalPid, bytes, copyKind, srcKind, dstKind);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, "
           "streamId, correlationId, globalPid, syncType, eventId, eventSyncId);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId, "
           "correlationId, globalPid, eventId, eventSyncId);"
           "CREATE TABLE OSRT_API (start, end, globalTid, nameId);"
           "CREATE TABLE ThreadNames (nameId, priority, globalTid);"
           "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);"
           "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014975716426);"
           "INSERT INTO StringIds VALUES (1, 'void gemm()'), (2, 'cudaLaunchKernel_v7000'), "
           "(3, 'read');"
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 0, " +
           thread + ", 77, 2, 0), (22, 23, 1, " + thread +
           ", 78, 2, 0);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 45, 0, 1, 7, 77, " +
           process +
           ", 1, 1, 4, 5, 6, 32, 2, 1, 40, 1, 2, 3, 9);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (50, 60, 0, 1, 7, 78, " +
           process +
           ", 4096, 1, 1, 2);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (50, 60, 0, 1, 7, 78, " +
           process +
           ", 3, 4, 5);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 77, " +
           process + ", 4, 5); INSERT INTO OSRT_API VALUES (70, 80, " + thread +
           ", 3); INSERT INTO ThreadNames VALUES (3, 1, " + thread +
           "); INSERT INTO NVTX_EVENTS VALUES (5, 90, 59, 'step, op_id = 4', " + thread +
           ", NULL, 0), (6, NULL, 60, 'b', " + thread + ", 1, 3), (7, NULL, 75, 'NCCL', " + thread +
           ", NULL, 3), (8, NULL, 34, 'm', " + thread + ", NULL, 3);");
  std::ifstream in(file.path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(NsysFuzz, MutationsOfExportsNeverCrash) {
  const std::string seed = small_export();
  const auto* bytes = static_cast<const std::uint8_t*>(static_cast<const void*>(seed.data()));
  ASSERT_TRUE(try_input(bytes, seed.size())) << "the export itself does not load";
  Mutations mutations({seed},
                      {std::string(1, '\0'), std::string(8, '\xFF'), "\x7F\xFF\xFF\xFF", "start",
                       "VALUES", "INTEGER", "\x80\x01", "CREATE TABLE x AS", "\x06\x01\x01\x08"},
                      20261124);
  int loaded = 0;
  for (int i = 0; i < 4'000; ++i) {
    const std::string text = mutations.next();
    const auto* input = static_cast<const std::uint8_t*>(static_cast<const void*>(text.data()));
    loaded += try_input(input, text.size()) ? 1 : 0;
  }
  EXPECT_GT(loaded, 200) << "nearly all mutations are refused at once: they test nothing";
}

}  // namespace
}  // namespace stepscope
#endif
