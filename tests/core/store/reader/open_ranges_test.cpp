// SPDX-License-Identifier: Apache-2.0
// A process that is killed inside ranges, and a launcher that empties its rings afterwards.
#include <gmock/gmock.h>

#include "core/store/reader/reader.hpp"
#include "core/store/writer/writer.hpp"
#include "tests/core/store/dump.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

void open(EventBatch& batch, StoreWriter& store, const char* name, std::int64_t begin,
          std::int64_t tid, std::uint32_t lane = 0) {
  batch.open.begin.push_back(begin);
  batch.open.name.push_back(store.intern(name));
  batch.open.thread.push_back(store.thread(tid));
  batch.open.kind.push_back(HostKind::user_scope);
  batch.open.category.push_back(0);
  batch.open.site.push_back(kNone);
  batch.open.sequence.push_back(kNoSequence);
  batch.open.lane.push_back(lane);
}

void late_end(EventBatch& batch, StoreWriter& store, std::int64_t time, std::int64_t tid,
              std::uint32_t lane = 0) {
  batch.late_ends.time.push_back(time);
  batch.late_ends.thread.push_back(store.thread(tid));
  batch.late_ends.lane.push_back(lane);
}

void mark(EventBatch& batch, StoreWriter& store, std::int64_t time) {
  batch.marks.time.push_back(time);
  batch.marks.name.push_back(store.intern("mark"));
  batch.marks.thread.push_back(store.thread(1));
}

std::string range(const TraceData& data, std::string_view name) {
  const HostRanges& h = data.host_ranges;
  std::string found;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (data.strings.view(h.name[i]) != name) continue;
    found += std::to_string(h.begin[i]) + "-" + std::to_string(h.end[i]) + " ";
  }
  return found;
}

struct Killed {
  Scratch scratch;
  std::string path = scratch / "a.sst";

  // Outer (10) and inner (20) are open at the last snapshot; "done" was open before and has ended.
  Killed() {
    Result<StoreWriter> store = StoreWriter::create(path);
    EventBatch batch;
    open(batch, *store, "outer", 10, 1);
    open(batch, *store, "done", 12, 1);
    EXPECT_TRUE(store->write(batch).ok());
    clear(batch);
    open(batch, *store, "outer", 10, 1);
    open(batch, *store, "inner", 20, 1);
    mark(batch, *store, 50);
    EXPECT_TRUE(store->write(batch).ok());
  }  // no close(): the process was killed
};

TEST(StoreOpenRanges, EndAtTheLastTimeInTheFile) {
  const Killed killed;
  const Result<TraceData> loaded = read_sst(killed.path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(range(*loaded, "outer"), "10-50 ");
  EXPECT_EQ(range(*loaded, "inner"), "20-50 ");
  EXPECT_EQ(range(*loaded, "done"), "");
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("2 ranges had not ended")));
  EXPECT_THAT(loaded->health.notes, Contains(HasSubstr("no footer")));
}

TEST(StoreOpenRanges, ALauncherEndsThemFromTheDeadProcessesRings) {
  const Killed killed;
  Result<StoreWriter> launcher = StoreWriter::append(killed.path);
  ASSERT_TRUE(launcher.ok());
  launcher->describe({.pid = 77});
  EventBatch batch;
  late_end(batch, *launcher, 60, 1);
  late_end(batch, *launcher, 61, 1, 5);  // another lane: matches nothing
  open(batch, *launcher, "begun late", 65, 1);
  mark(batch, *launcher, 70);
  ASSERT_TRUE(launcher->write(batch).ok());
  ASSERT_TRUE(launcher->close(ExitReason::signalled, 9).ok());

  const Result<TraceData> loaded = read_sst(killed.path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(range(*loaded, "inner"), "20-60 ");
  EXPECT_EQ(range(*loaded, "outer"), "10-70 ");
  EXPECT_EQ(range(*loaded, "begun late"), "65-70 ");
  EXPECT_EQ(loaded->threads.size(), 1U) << "both writers mean the same thread";
  EXPECT_EQ(loaded->marks.size(), 2U);
  EXPECT_EQ(loaded->health.skipped_events, 1U);
  EXPECT_EQ(loaded->health.lost_chunks, 0U);
  EXPECT_EQ(loaded->processes[0].pid, 77);
  EXPECT_EQ(loaded->processes[0].exit_reason, ExitReason::signalled);
  EXPECT_THAT(loaded->health.notes, Not(Contains(HasSubstr("no footer"))));
}

TEST(StoreOpenRanges, ABatchWithoutThemSaysThatNoneAreOpenAFlushDoesNot) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  EventBatch batch;
  open(batch, *store, "range", 10, 1);
  ASSERT_TRUE(store->write(batch).ok());
  store->fact("late", "fact");
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ(range(*read_sst(scratch / "a.sst"), "range"), "10-10 ");
  clear(batch);
  mark(batch, *store, 50);
  ASSERT_TRUE(store->write(batch).ok());
  EXPECT_EQ(range(*read_sst(scratch / "a.sst"), "range"), "");
}

TEST(StoreOpenRanges, AppendingAfterATornChunkLosesOnlyThatChunk) {
  const Killed killed;
  std::vector<std::uint8_t> bytes = bytes_of_file(killed.path);
  bytes.resize(bytes.size() - 5);
  write_file(killed.path, bytes);
  Result<StoreWriter> launcher = StoreWriter::append(killed.path);
  EventBatch batch;
  for (std::int64_t i = 0; i < 500; ++i) mark(batch, *launcher, 100 + i * i);
  ASSERT_TRUE(launcher->write(batch).ok());
  ASSERT_TRUE(launcher->close(ExitReason::signalled, 9).ok());
  const Result<TraceData> loaded = read_sst(killed.path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->marks.size(), 500U);
  EXPECT_EQ(range(*loaded, "done"), "12-249101 ") << "open in the only snapshot that is left";
  EXPECT_EQ(loaded->health.lost_chunks, 1U);
}

}  // namespace
}  // namespace stepscope
