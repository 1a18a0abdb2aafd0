// SPDX-License-Identifier: Apache-2.0
// A NAME.scope folder: run.json and one file a process become one trace.
#include <gmock/gmock.h>

#include "core/store/reader/reader.hpp"
#include "core/store/reader/recorded_lines.hpp"
#include "core/store/writer/writer.hpp"
#include "tests/core/store/dump.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

void write_text(const std::string& path, const std::string& text) {
  write_file(path, {text.begin(), text.end()});
}

// A process with one call and its kernel; names and ids collide with those of the others on
// purpose.
void write_process(const std::string& path, std::int64_t pid, const std::string& first_name) {
  Result<StoreWriter> store = StoreWriter::create(path);
  ASSERT_TRUE(store.ok()) << store.error().message;
  store->describe(
      {.pid = pid, .rank = static_cast<std::int32_t>(pid % 10), .facts = {{"torch", "2.11.0"}}});
  EventBatch b;
  b.host_ranges.begin = {10, 20};
  b.host_ranges.end = {15, 30};
  b.host_ranges.name = {store->intern(first_name), store->intern("cudaLaunchKernel")};
  b.host_ranges.thread.assign(2, store->thread(1));
  b.host_ranges.kind = {HostKind::op, HostKind::runtime_call};
  b.host_ranges.site = {store->site({store->intern("train.py"), 5, store->intern("main")}), kNone};
  b.calls.range = {1};
  b.calls.correlation = {7};
  b.device_ops.begin = {40};
  b.device_ops.end = {50};
  b.device_ops.name = {store->intern("kernel")};
  b.device_ops.stream = {store->stream(0, 1, 7)};
  b.device_ops.correlation = {7};
  b.device_ops.launch_config = {store->launch_config({{1, 1, 1}, {256, 1, 1}, 32, 0})};
  ASSERT_TRUE(store->write(b).ok());
  ASSERT_TRUE(store->close(ExitReason::returned, 0).ok());
}

struct Folder {
  Scratch scratch;
  Folder() {
    write_process(scratch / "a-100.sst", 100, "a");
    write_process(scratch / "b-101.sst", 101, "b");
  }
};

TEST(StoreFolder, EachFileTellsItsRank) {
  const Folder folder;
  write_text(folder.scratch / "c-102.sst", "no store file");
  const auto files = ranks_of_scope(folder.scratch / "");
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_EQ(files->size(), 3U);
  EXPECT_EQ((*files)[0].rank, 0);
  EXPECT_EQ((*files)[1].rank, 1);
  EXPECT_EQ((*files)[2].rank, -1);
  EXPECT_EQ((*files)[1].problem, "");
  EXPECT_THAT((*files)[2].problem, HasSubstr("c-102.sst"));
}

TEST(StoreFolder, AFileBesideNoOtherTellsItsRank) {
  const Scratch scratch;
  write_process(scratch / "b-101.sst", 101, "b");
  const auto files = ranks_of_scope(scratch / "");
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().rank, 1);
}

TEST(StoreFolder, FilesAreReadAsIfTheFolderHeldNoOthers) {
  const Folder folder;
  const auto data = read_scope_files(folder.scratch / "", {folder.scratch / "b-101.sst"});
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_EQ(data->processes.size(), 1U);
  EXPECT_EQ(data->processes.front().rank, 1);
  EXPECT_EQ(data->device_ops.size(), 1U);
}

TEST(StoreFolder, TheLinesOfAProcessAreReadWithoutItsEvents) {
  const Folder folder;
  const Result<RecordedLines> recorded = read_recorded_lines(folder.scratch / "a-100.sst");
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  EXPECT_EQ(recorded->first_ns, 10);
  EXPECT_THAT(recorded->lines,
              testing::ElementsAre(testing::Pair("train.py", testing::ElementsAre(5U))));
  EXPECT_FALSE(read_recorded_lines(folder.scratch / "gone.sst").ok());
}

TEST(StoreFolder, ProcessesShareNamesAndKeepTheirOwnThreadsStreamsAndLaunches) {
  const Folder folder;
  write_text(
      folder.scratch / "run.json",
      R"({"schema": "stepscope.run/1", "command": ["python", "train.py"], "level": "standard",
                 "facts": {"torch": "other", "os": "Debian 12"}, "notes": ["2 of 2 ranks reported in"]})");
  Result<TraceData> loaded = read_scope(folder.scratch / "");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  ASSERT_EQ(loaded->processes.size(), 2U);
  EXPECT_EQ(loaded->processes[1].pid, 101);
  EXPECT_EQ(loaded->processes[1].rank, 1);
  EXPECT_EQ(loaded->processes[1].facts.at("command"), R"(["python","train.py"])");
  EXPECT_EQ(loaded->processes[1].facts.at("run.command"), "python train.py");
  EXPECT_EQ(loaded->processes[1].facts.at("level"), "standard");
  EXPECT_EQ(loaded->processes[1].facts.at("os"), "Debian 12");
  EXPECT_EQ(loaded->processes[1].facts.at("torch"), "2.11.0") << "the process knows better";
  EXPECT_EQ(loaded->health.notes, std::vector<std::string>{"2 of 2 ranks reported in"});
  EXPECT_EQ(loaded->threads.size(), 2U);
  EXPECT_EQ(loaded->streams.size(), 2U);
  EXPECT_EQ(loaded->sites.size(), 1U);
  EXPECT_EQ(loaded->launch_configs.size(), 1U);

  const Trace trace = Trace::build(std::move(*loaded));
  ASSERT_EQ(trace.device_ops().size(), 2U);
  for (DeviceOpId op = 0; op < 2; ++op) {
    const CallId call = trace.launch_of(op);
    ASSERT_NE(call, kNone);
    const ThreadId thread = trace.host_ranges().thread[trace.calls().range[call]];
    EXPECT_EQ(trace.data().threads[thread].process,
              trace.data().streams[trace.device_ops().stream[op]].process);
  }
  EXPECT_NE(trace.launch_of(0), trace.launch_of(1));
}

TEST(StoreFolder, AMissingOrDamagedRunJsonIsOnlyNoted) {
  const Folder folder;
  Result<TraceData> loaded = read_scope(folder.scratch / "");
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("run.json cannot be read")));
  write_text(folder.scratch / "run.json", "{\"schema\": \"stepscope.run/1\", ");
  loaded = read_scope(folder.scratch / "");
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("run.json cannot be read")));
  write_text(folder.scratch / "run.json", "[1, 2]");
  loaded = read_scope(folder.scratch / "");
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("not of schema")));
}

TEST(StoreFolder, ANewerRunJsonIsAnError) {
  const Folder folder;
  write_text(folder.scratch / "run.json", R"({"schema": "stepscope.run/2"})");
  const Result<TraceData> loaded = read_scope(folder.scratch / "");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::unsupported);
}

TEST(StoreFolder, OneBadFileDoesNotHideTheOthers) {
  const Folder folder;
  write_text(folder.scratch / "c.sst", "");
  const Result<TraceData> loaded = read_scope(folder.scratch / "");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->processes.size(), 2U);
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("c.sst is empty")));
}

TEST(StoreFolder, WithoutAnyProcessItSaysWhy) {
  const Scratch scratch;
  Result<TraceData> loaded = read_scope(scratch / "");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::bad_input);
  EXPECT_THAT(loaded.error().message, HasSubstr("holds no .sst file"));
  write_text(scratch / "c.sst", "");
  loaded = read_scope(scratch / "");
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr("c.sst is empty"));
  loaded = read_scope(scratch / "missing");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::io);
}

TEST(StoreFolder, AMissingFileAndAFolderAreNoStoreFile) {
  const Scratch scratch;
  EXPECT_EQ(read_sst(scratch / "missing.sst").error().code, ErrorCode::io);
  EXPECT_EQ(read_sst(scratch / "").error().code, ErrorCode::io);
}

}  // namespace
}  // namespace stepscope
