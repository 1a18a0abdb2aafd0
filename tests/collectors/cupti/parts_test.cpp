// SPDX-License-Identifier: Apache-2.0
// The parts that need no CUPTI: the list of calls, buffers, streams, decoding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "collectors/cupti/calls/api_functions.hpp"
#include "collectors/cupti/parts.hpp"
#include "collectors/cupti/records/buffers.hpp"
#include "collectors/cupti/records/device_records.hpp"
#include "collectors/cupti/records/heartbeat.hpp"
#include "core/model/api_kind.hpp"
#include "tests/collectors/cupti/fake_cupti.hpp"

namespace stepscope::cupti {
namespace {

using testing::ElementsAre;

TEST(ApiFunctions, EachIdIsListedOnceAndEachNameMeansSomething) {
  std::set<std::uint16_t> codes;
  for (const ApiFunction& function : api_functions()) {
    EXPECT_NE(classify_api(function.name), ApiKind::other) << function.name;
    for (const std::uint16_t id : function.ids) {
      if (id == 0) continue;
      EXPECT_LT(id, 1024) << function.name;
      EXPECT_TRUE(codes.insert(call_code(function.domain, id)).second)
          << function.name << ' ' << id;
    }
  }
}

TEST(ApiFunctions, LightHoldsLaunchesCopiesSetsAndWaits) {
  for (const ApiFunction& function : api_functions()) {
    const ApiKind kind = classify_api(function.name);
    EXPECT_EQ(function.level == Level::light, is_launch(kind) || is_sync(kind)) << function.name;
  }
}

TEST(ApiFunctions, OnlyFrequentCallsAreLeftToTheDriverAndOnlyBelowDeep) {
  std::set<std::string> left;
  for (const ApiFunction& function : api_functions()) {
    EXPECT_TRUE(is_recorded(function, Level::deep)) << function.name;
    EXPECT_FALSE(is_recorded(function, Level::light) && function.level != Level::light);
    if (is_recorded(function, Level::standard)) continue;
    left.insert(function.name);
    EXPECT_EQ(function.domain, Domain::runtime) << function.name;
  }
  EXPECT_THAT(left, ElementsAre("cudaEventRecord", "cudaGraphLaunch", "cudaLaunchKernel",
                                "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync",
                                "cudaStreamSynchronize", "cudaStreamWaitEvent"));
}

// Else a level would lose them.
TEST(ApiFunctions, WhatIsLeftToTheDriverIsListedOfItAtTheSameLevel) {
  for (const ApiFunction& runtime : api_functions()) {
    if (!runtime.left_to_driver) continue;
    const auto same = [&](const ApiFunction& driver) {
      return driver.domain == Domain::driver && driver.level == runtime.level &&
             driver.ids[1] != 0 && driver.stream != kNowhere &&
             classify_api(driver.name) == classify_api(runtime.name);
    };
    const auto functions = api_functions();
    EXPECT_TRUE(std::any_of(functions.begin(), functions.end(), same)) << runtime.name;
  }
}

TEST(ApiFunctions, ReadsStreamAndValueOutOfTheParameters) {
  const std::uint64_t parameters[] = {0xe0e0, 0x7000};  // event, stream
  const ApiFunction record{Domain::runtime, {135, 242}, "cudaEventRecord", Level::standard, 8, 0};
  const CallArguments arguments = read_arguments(record, parameters);
  EXPECT_TRUE(arguments.has_stream);
  EXPECT_EQ(arguments.stream, reinterpret_cast<void*>(0x7000));
  EXPECT_EQ(arguments.value, 0xe0e0U);
  EXPECT_FALSE(read_arguments(record, nullptr).has_stream);
}

TEST(Buffers, ComeBackInTheOrderOfTheirReturn) {
  auto buffers = std::make_unique<Buffers>();
  buffers->fill_up();
  std::uint8_t* first = buffers->give();
  std::uint8_t* second = buffers->give();
  std::uint8_t* third = buffers->give();
  EXPECT_FALSE(buffers->any_completed());
  buffers->take_back(first, 10, nullptr, 0);
  buffers->take_back(second, 20, nullptr, 0);
  EXPECT_EQ(buffers->next_completed().valid_bytes, 10U);
  buffers->take_back(third, 30, nullptr, 0);
  EXPECT_EQ(buffers->next_completed().valid_bytes, 20U);
  EXPECT_EQ(buffers->next_completed().valid_bytes, 30U);
  EXPECT_EQ(buffers->next_completed().data, nullptr);
  EXPECT_EQ(buffers->made_in_the_program(), 0U);
}

TEST(Buffers, AreMadeOnTheSpotWhereNoneIsSpare) {
  auto buffers = std::make_unique<Buffers>();
  std::uint8_t* made = buffers->give();
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made) % 64, 0U);
  EXPECT_EQ(buffers->made_in_the_program(), 1U);
  buffers->recycle(made);
  EXPECT_EQ(buffers->give(), made);
}

// A disk that hangs under the writer thread must not take the program's memory.
TEST(Buffers, AreBoundedWhileNobodyEmptiesThem) {
  auto buffers = std::make_unique<Buffers>();
  std::vector<std::uint8_t*> given;
  while (std::uint8_t* data = buffers->give()) {
    ASSERT_LT(given.size(), Buffers::kMostInUse);
    given.push_back(data);
  }
  EXPECT_EQ(given.size(), Buffers::kMostInUse);
  EXPECT_EQ(buffers->give(), nullptr);
  buffers->recycle(given.back());
  EXPECT_EQ(buffers->give(), given.back());
  for (std::uint8_t* data : given) buffers->recycle(data);
}

TEST(Buffers, SeveralThreadsNeverShareOne) {
  auto buffers = std::make_unique<Buffers>();
  buffers->fill_up();
  std::atomic<bool> clash{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        std::uint8_t* data = buffers->give();
        data[0] = static_cast<std::uint8_t>(t);
        std::this_thread::yield();
        if (data[0] != static_cast<std::uint8_t>(t)) clash = true;
        buffers->recycle(data);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(clash);
}

class DeviceRecordsTest : public testing::Test {
 protected:
  DeviceRecordsTest()
      : path_(std::filesystem::temp_directory_path() /
              ("device_records." + std::to_string(getpid()) + ".sst")),
        made_(StoreWriter::create(path_.string(), {.overwrite = true})),
        store_(*made_) {}
  ~DeviceRecordsTest() override { std::filesystem::remove(path_); }

  void decode(std::vector<FakeRecord> records) {
    std::vector<std::uint8_t> bytes = fake_cupti::buffer_of(records);
    records_.decode(fake_cupti::library(), bytes.data(), bytes.size(), batch_, store_);
  }

  std::filesystem::path path_;
  Result<StoreWriter> made_;
  StoreWriter& store_;
  EventBatch batch_;
  DeviceRecords records_;
};

TEST_F(DeviceRecordsTest, KernelsKeepTimesStreamGraphAndConfiguration) {
  KernelRecord kernel = fake_cupti::kernel("_Z3fooif", 100, 200, 7, 42);
  kernel.grid[0] = 3, kernel.grid[1] = 1, kernel.grid[2] = 1;
  kernel.block[0] = 128, kernel.block[1] = 1, kernel.block[2] = 1;
  kernel.registers_per_thread = 40;
  kernel.static_shared_memory = 1000, kernel.dynamic_shared_memory = 24;
  kernel.graph = 5, kernel.graph_node = 77;
  decode({kernel});
  const DeviceOps& ops = batch_.device_ops;
  EXPECT_THAT(ops.begin, ElementsAre(100));
  EXPECT_THAT(ops.end, ElementsAre(200));
  EXPECT_THAT(ops.correlation, ElementsAre(42U));
  EXPECT_THAT(ops.graph, ElementsAre(5U));
  EXPECT_THAT(ops.graph_node, ElementsAre(77U));
  EXPECT_THAT(ops.name, ElementsAre(store_.intern("foo(int, float)")));
  EXPECT_THAT(ops.stream, ElementsAre(store_.stream(0, 1, 7)));
  EXPECT_THAT(ops.launch_config,
              ElementsAre(store_.launch_config({{3, 1, 1}, {128, 1, 1}, 40, 1024})));
}

TEST_F(DeviceRecordsTest, CopiesAndSetsKeepKindMemoryAndBytes) {
  decode({fake_cupti::copy(kCopyHostToDevice, kMemoryPageable, kMemoryDevice, 4096, 10, 20, 1),
          fake_cupti::copy(kCopyDeviceToHost, kMemoryDevice, kMemoryPinned, 8, 30, 40, 2),
          fake_cupti::set(64, 50, 60, 3)});
  const DeviceOps& ops = batch_.device_ops;
  EXPECT_THAT(ops.copy_kind,
              ElementsAre(CopyKind::host_to_device, CopyKind::device_to_host, CopyKind::none));
  EXPECT_THAT(ops.source_memory,
              ElementsAre(MemoryKind::pageable, MemoryKind::device, MemoryKind::unknown));
  EXPECT_THAT(ops.target_memory,
              ElementsAre(MemoryKind::device, MemoryKind::pinned, MemoryKind::device));
  EXPECT_THAT(ops.bytes, ElementsAre(4096U, 8U, 64U));
  EXPECT_EQ(ops.name[0], store_.intern("Memcpy HtoD (Pageable -> Device)"));
  EXPECT_EQ(ops.name[2], store_.intern("Memset (Device)"));
}

TEST_F(DeviceRecordsTest, AGraphIsOneOpAndWhereItBeginsOnTheHostItIsOnTheDeviceOfItsEnd) {
  GraphRecord from_host = fake_cupti::graph(6, 300, 400, 43);
  from_host.device = from_host.context = kOnHost;
  decode({fake_cupti::graph(5, 100, 200, 42), from_host});
  const DeviceOps& ops = batch_.device_ops;
  EXPECT_THAT(ops.kind, ElementsAre(DeviceOpKind::graph, DeviceOpKind::graph));
  EXPECT_THAT(ops.begin, ElementsAre(100, 300));
  EXPECT_THAT(ops.correlation, ElementsAre(42U, 43U));
  EXPECT_THAT(ops.graph, ElementsAre(5U, 6U));
  EXPECT_THAT(ops.name, ElementsAre(store_.intern("CUDA graph 5"), store_.intern("CUDA graph 6")));
  EXPECT_THAT(ops.stream, ElementsAre(store_.stream(0, 1, 7), store_.stream(0, 1, 7)));
}

TEST(LeaveOut, TakesNamedPartsAndPassesOverOtherWords) {
  Parts parts;
  leave_out(parts, nullptr);
  leave_out(parts, ",x,calls,,flush,");
  EXPECT_FALSE(parts.calls || parts.flush);
  EXPECT_TRUE(parts.lines && parts.streams && parts.graph_nodes && parts.resources && parts.state &&
              parts.overhead);
  leave_out(parts, "lines,streams,graph_nodes,resources,state,overhead,records");
  EXPECT_FALSE(parts.records || parts.lines || parts.streams || parts.graph_nodes ||
               parts.resources || parts.state || parts.overhead);
}

TEST_F(DeviceRecordsTest, RecordsWithoutATimeAreCountedOnly) {
  decode({fake_cupti::kernel("k", 0, 0, 7, 1), fake_cupti::kernel("k", 5, 9, 7, 2)});
  EXPECT_EQ(batch_.device_ops.size(), 1U);
  EXPECT_EQ(records_.zero_timestamps(), 1U);
  EXPECT_EQ(records_.records(), 2U);
}

TEST_F(DeviceRecordsTest, ANamesAddressMayHoldAnotherNameLater) {
  char name[] = "first";
  decode({fake_cupti::kernel(name, 1, 2, 7, 1)});
  std::copy_n("other", 5, name);
  decode({fake_cupti::kernel(name, 3, 4, 7, 2)});
  EXPECT_THAT(batch_.device_ops.name, ElementsAre(store_.intern("first"), store_.intern("other")));
}

TEST_F(DeviceRecordsTest, OverheadOfAThreadIsARangeOfIt) {
  OverheadRecord overhead{};
  overhead.kind = ActivityKind::overhead;
  overhead.overhead_kind = 6U << 16U;
  overhead.object_kind = 2;
  overhead.object_id[1] = 4711;
  overhead.start = 10, overhead.end = 30;
  decode({overhead});
  EXPECT_THAT(batch_.host_ranges.name, ElementsAre(store_.intern("Command Buffer Full")));
  EXPECT_THAT(batch_.host_ranges.kind, ElementsAre(HostKind::overhead));
  EXPECT_THAT(batch_.host_ranges.thread, ElementsAre(store_.thread(4711)));
}

using Change = Heartbeat::Change;

constexpr std::uint32_t kCalls = 100'000;  // between two flushes

TEST(HeartbeatTest, AlarmsWhereWorkIsLaunchedAndNoRecordComes) {
  Heartbeat heart;
  EXPECT_EQ(heart.look(1, 5), Change::none);
  for (std::uint32_t i = 1; i < 10; ++i) EXPECT_EQ(heart.look(i * kCalls, 5), Change::none) << i;
  EXPECT_EQ(heart.look(10 * kCalls, 5), Change::stopped);
  EXPECT_EQ(heart.look(11 * kCalls, 5), Change::none);
  EXPECT_EQ(heart.look(12 * kCalls, 6), Change::came_back);
  EXPECT_EQ(heart.look(13 * kCalls, 7), Change::none);
}

TEST(HeartbeatTest, IsQuietWhereNothingIsLaunched) {
  Heartbeat heart;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(heart.look(0, 5), Change::none);
}

// Its buffer is not full yet.
TEST(HeartbeatTest, IsQuietWhereADeviceIsAlwaysBusyWithFewKernels) {
  Heartbeat heart;
  for (std::uint32_t i = 1; i < 100; ++i) EXPECT_EQ(heart.look(i * 1000, 5), Change::none);
}

TEST(HeartbeatTest, RecordsNowAndThenAreEnough) {
  Heartbeat heart;
  for (std::uint32_t i = 1; i < 100; ++i)
    EXPECT_EQ(heart.look(i * kCalls, i / 9), Change::none) << i;
}

}  // namespace
}  // namespace stepscope::cupti
