// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/store/reader/reader.hpp"
#include "core/store/save.hpp"
#include "tests/core/model/trace_maker.hpp"
#include "tests/core/store/dump.hpp"
#include "tests/core/store/random_batch.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

void tell_everything(Shadow& shadow) {
  shadow.describe({.pid = 77,
                   .rank = 3,
                   .world_size = 8,
                   .name = "python",
                   .host = "node",
                   .facts = {{"command", "python train.py"}, {"env.RANK", "3"}}});
  shadow.device({0, 1, "Test GPU", std::uint64_t{80} << 30U, 132, 9, 0, "GPU-1234"});
  shadow.clock({0, 1'700'000'000'000'000'001, 123'456'789, ~std::uint64_t{0}, 21});
  shadow.collected({.api_calls = true, .user_scopes = true, .io = true});
  shadow.health({1, 2, 3, 4, 5, 6, 7, 8, -9, 10, 11, {"nsys"}, {"a note"}});
}

void expect_round_trip(Codec codec, std::uint64_t seed) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst", {.codec = codec});
  ASSERT_TRUE(store.ok()) << store.error().message;
  Shadow shadow(*store);
  RandomBatch random(seed);
  tell_everything(shadow);
  for (int chunk = 0; chunk < 4; ++chunk) {
    shadow.write(random.make(shadow, 60));
    if (!shadow.expected.threads.empty()) shadow.name_thread(0, "main " + std::to_string(chunk));
    if (!shadow.expected.streams.empty()) shadow.name_stream(0, "copies");
  }
  shadow.close(ExitReason::signalled, 9);
  const Result<TraceData> loaded = read_sst(scratch / "a.sst");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->source, SourceKind::stepscope);
  ASSERT_EQ(dump(*loaded), dump(shadow.expected)) << "seed " << seed;
}

TEST(StoreRoundTrip, RandomColumnsWithZstd) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) expect_round_trip(Codec::zstd, seed);
}

TEST(StoreRoundTrip, RandomColumnsWithoutCompression) {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) expect_round_trip(Codec::none, seed);
}

TEST(StoreRoundTrip, ColumnsLeftEmptyGetTheirDefaults) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  EventBatch batch;
  batch.host_ranges.begin = {10, 20};
  batch.host_ranges.end = {30, 40};
  batch.host_ranges.thread = {store->thread(1), store->thread(2)};
  batch.calls.range = {1};
  batch.collectives.range = {0};
  batch.graph_nodes.time = {7};
  batch.graph_nodes.thread = {0};
  batch.device_ops.begin = {5};
  batch.device_ops.end = {6};
  batch.device_ops.stream = {store->stream(0, 1, 7)};
  ASSERT_TRUE(store->write(batch).ok());
  ASSERT_TRUE(store->close(ExitReason::returned, 0).ok());
  const Result<TraceData> loaded = read_sst(scratch / "a.sst");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(dump_events(*loaded),
            "range 10 30 '' thread 0/1 '' kind 0 '' site none seq 4294967295 forward 4294967295\n"
            "range 20 40 '' thread 0/2 '' kind 0 '' site none seq 4294967295 forward 4294967295\n"
            "call 1 api 0 correlation 0 stream none event 0 bytes 18446744073709551615\n"
            "op 5 6 '' kind 0 stream 0/0/1/7 '' correlation 0 graph 0.0 bytes 18446744073709551615"
            " copy 0 0 0 config none\n"
            "collective 0 communicator 0 bytes 18446744073709551615 reduce 0 peer 4294967295\n"
            "graph node 7 0 from 0 thread 0/1 '' site none\n");
}

TEST(StoreRoundTrip, EqualTimesInEveryRow) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  EventBatch batch;
  batch.marks.time.assign(5000, 42);
  batch.marks.name.assign(5000, store->intern("m"));
  batch.marks.thread.assign(5000, store->thread(1));
  ASSERT_TRUE(store->write(batch).ok());
  const Result<TraceData> loaded = read_sst(scratch / "a.sst");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->marks.size(), 5000U);
  EXPECT_EQ(loaded->health.lost_chunks, 0U);
}

TEST(StoreRoundTrip, ABatchOfUnequalColumnsIsRefusedAndTheFileStaysSound) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  EventBatch batch;
  batch.marks.time = {1, 2};
  batch.marks.name = {0};
  const Status status = store->write(batch);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("unequal length"));
  EXPECT_TRUE(store->close(ExitReason::returned, 0).ok());
  EXPECT_TRUE(read_sst(scratch / "a.sst").ok());
}

TEST(StoreRoundTrip, FactsThatComeLateAndTextsBeyondTheLimit) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst", {.max_strings = 4});
  store->fact("torch", "unknown");
  ASSERT_TRUE(store->flush().ok());
  ASSERT_TRUE(store->flush().ok());  // nothing new: no chunk
  const std::uint64_t size = store->bytes_written();
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ(store->bytes_written(), size);
  store->fact("torch", "2.11.0");
  EventBatch batch;
  batch.marks.time = {1, 2};
  batch.marks.name = {store->intern("one name too many"), store->intern("torch")};
  batch.marks.thread.assign(2, store->thread(1));
  ASSERT_TRUE(store->write(batch).ok());
  const Result<TraceData> loaded = read_sst(scratch / "a.sst");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->strings.view(loaded->marks.name[0]), "(too many names)");
  EXPECT_EQ(loaded->strings.view(loaded->marks.name[1]), "torch");
  EXPECT_EQ(loaded->health.missing_fields, 1U);
}

TEST(StoreRoundTrip, SaveThenLoadKeepsATraceAsItIs) {
  TraceMaker make;
  make.data.processes[0] = {.pid = 100,
                            .rank = 1,
                            .world_size = 2,
                            .name = "a",
                            .exit_reason = ExitReason::exited,
                            .exit_status = 3};
  make.data.processes.push_back({.pid = 200});
  make.thread(1, "main");
  make.thread(9, "other", 1);
  make.range(HostKind::op, "op", 1, 0, 100, make.site("train.py", 12));
  for (std::uint32_t i = 1; i < 50; ++i) {
    make.call("cudaLaunchKernel", 1, i * 10, i * 10 + 5, i, make.stream(7));
    make.kernel("kernel " + std::to_string(i % 3), 7, i * 10 + 8, i * 10 + 12, i);
  }
  make.data.syncs = {{5}, {6}, {ApiKind::sync_stream}, {make.stream(7)}, {3}, {0}};
  make.data.counters = {{5, 6},
                        {make.data.strings.intern("power"), make.data.strings.intern("power")},
                        {0, 1},
                        {1.5, 2}};
  make.data.marks = {{8}, {make.data.strings.intern("mark")}, {make.thread(1)}};
  make.data.collectives = {
      {0, 7},     {9, 9}, {1024, kUnknownBytes}, {ReduceOperation::sum, ReduceOperation::none},
      {kNone, 3}, {}};
  make.data.graph_nodes = {
      {3, 4}, {11, 21}, {0, 11}, {make.thread(1), make.thread(9, "", 1)}, {0, kNone}};
  make.data.health.dropped_records = 5;
  const Trace trace = make.build();
  const Scratch scratch;
  const Status saved = save(trace, scratch / "a.sst", {.batch_rows = 16});
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  Result<TraceData> loaded = read_sst(scratch / "a.sst");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(dump(*loaded), dump(trace.data()));
  const Trace again = Trace::build(std::move(*loaded));
  EXPECT_EQ(again.event_count(), trace.event_count());
  EXPECT_EQ(again.ops_of(0).size(), 49U);
}

}  // namespace
}  // namespace stepscope
