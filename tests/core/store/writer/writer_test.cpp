// SPDX-License-Identifier: Apache-2.0
#include "core/store/writer/writer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "core/store/reader/reader.hpp"
#include "tests/core/store/scratch.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

EventBatch marks(StoreWriter& store, std::size_t rows) {
  EventBatch batch;
  for (std::size_t i = 0; i < rows; ++i) {
    batch.marks.time.push_back(static_cast<std::int64_t>(i * i * 7919));
    batch.marks.name.push_back(store.intern("name " + std::to_string(i)));
    batch.marks.thread.push_back(store.thread(1));
  }
  return batch;
}

TEST(StoreWriter, AFullDiskIsAnErrorThatSaysWhatToDo) {
  Result<StoreWriter> store = StoreWriter::append("/dev/full");
  ASSERT_TRUE(store.ok()) << store.error().message;
  const Status status = store->write(marks(*store, 10));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::io);
  EXPECT_THAT(status.error().message,
              HasSubstr("cannot write /dev/full: No space left on device; free some space"));
}

TEST(StoreWriter, APlaceThatCannotBeWrittenIsAnError) {
  const Scratch scratch;
  const Result<StoreWriter> store = StoreWriter::create(scratch / "no/such/folder/a.sst");
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, ErrorCode::io);
  EXPECT_THAT(store.error().message, HasSubstr("cannot create "));
}

TEST(StoreWriter, AnExistingFileIsKeptUnlessToldOtherwise) {
  const Scratch scratch;
  ASSERT_TRUE(StoreWriter::create(scratch / "a.sst").ok());
  EXPECT_FALSE(StoreWriter::create(scratch / "a.sst").ok());
  EXPECT_TRUE(StoreWriter::create(scratch / "a.sst", {.overwrite = true}).ok());
}

// In a child process: the limit on the size of files stays with it.
int write_beyond_a_file_size_limit(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{10, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
  Result<StoreWriter> store = StoreWriter::create(path, {.codec = Codec::none});
  if (store->flush().ok()) return 6;  // the file's header is for the next one
  limit.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_FSIZE, &limit);
  if (!store->write(marks(*store, 100)).ok()) return 1;
  const std::uint64_t before = store->bytes_written();
  limit.rlim_cur = before + 1000;
  setrlimit(RLIMIT_FSIZE, &limit);
  const EventBatch second = marks(*store, 200);
  if (store->write(second).ok()) return 2;
  if (std::filesystem::file_size(path) != before) return 3;
  limit.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_FSIZE, &limit);
  if (!store->write(marks(*store, 200)).ok()) return 4;
  return store->close(ExitReason::returned, 0).ok() ? 0 : 5;
}

TEST(StoreWriter, AFailedWriteLeavesASoundFileAndIsCountedLater) {
  const Scratch scratch;
  const std::string path = scratch / "a.sst";
  const pid_t child = fork();
  if (child == 0) _exit(write_beyond_a_file_size_limit(path));
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const Result<TraceData> loaded = read_sst(path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->marks.size(), 300U);
  EXPECT_EQ(loaded->health.dropped_records, 200U);
  EXPECT_EQ(loaded->health.lost_chunks, 0U);
  EXPECT_EQ(loaded->strings.view(loaded->marks.name[299]), "name 199")
      << "the lost batch's names came later";
}

// In a child process: what it does to its descriptors stays with it.
int write_where_every_number_is_another_file(const std::string& store_path,
                                             const std::string& users) {
  Result<StoreWriter> store = StoreWriter::create(store_path);
  if (!store->write(marks(*store, 100)).ok()) return 1;
  const int file = ::open(users.c_str(), O_WRONLY | O_CREAT, 0600);
  for (int number = 3; number < 1100; ++number) dup2(file, number);
  if (!store->write(marks(*store, 200)).ok()) return 2;
  closefrom(3);
  return store->close(ExitReason::returned, 0).ok() ? 0 : 3;
}

TEST(StoreWriter, ADescriptorThatTheProgramTookAwayIsNotWrittenTo) {
  const Scratch scratch;
  const std::string path = scratch / "a.sst";
  const pid_t child = fork();
  if (child == 0) _exit(write_where_every_number_is_another_file(path, scratch / "users"));
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(std::filesystem::file_size(scratch / "users"), 0U);
  const Result<TraceData> loaded = read_sst(path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->marks.size(), 300U);
  EXPECT_EQ(loaded->health.lost_chunks, 0U);
}

TEST(StoreWriter, AnotherFileAtItsPathIsNotWrittenTo) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  ASSERT_TRUE(store->write(marks(*store, 100)).ok());
  std::filesystem::remove(scratch / "a.sst");
  std::ofstream(scratch / "a.sst") << "mine";
  ASSERT_TRUE(store->write(marks(*store, 100)).ok()) << "the file without a name is still open";
  const pid_t child = fork();
  if (child == 0) {
    closefrom(3);
    _exit(store->write(marks(*store, 100)).ok() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(std::filesystem::file_size(scratch / "a.sst"), 4U);
}

// Ranges that nobody ends are the same in each chunk.
TEST(StoreWriter, OpenRangesAreWrittenWhereTheyChange) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst", {.codec = Codec::none});
  const auto write_open = [&](std::int64_t rows) {
    EventBatch batch = marks(*store, 10);
    for (std::int64_t row = 0; row < rows; ++row) {
      OpenRanges& open = batch.open;
      open.begin.push_back(row * 1'000'003);
      open.name.push_back(store->intern("open"));
      open.thread.push_back(store->thread(1));
      open.kind.push_back(HostKind::user_scope);
      open.category.push_back(0);
      open.site.push_back(kNone);
      open.sequence.push_back(kNoSequence);
      open.lane.push_back(0);
    }
    const std::uint64_t before = store->bytes_written();
    EXPECT_TRUE(store->write(batch).ok());
    return store->bytes_written() - before;
  };
  EXPECT_GT(write_open(1'000), 3'000U);
  EXPECT_LT(write_open(1'000), 1'000U);
  EXPECT_GT(write_open(1'001), 3'000U);
  EXPECT_LT(write_open(1'001), 1'000U);
  EXPECT_EQ(read_sst(scratch / "a.sst")->host_ranges.size(), 1'001U);
  write_open(0);
  ASSERT_TRUE(store->close(ExitReason::returned, 0).ok());
  EXPECT_EQ(read_sst(scratch / "a.sst")->host_ranges.size(), 0U);
}

TEST(StoreWriter, SortPutsRowsInOrderAndCallsFollow) {
  EventBatch b;
  b.host_ranges.begin = {30, 10, 20, 5};
  b.host_ranges.end = {31, 40, 21, 6};
  b.host_ranges.thread = {0, 0, 0, 1};
  b.calls.range = {0, 2, 3};
  b.calls.correlation = {300, 200, 50};
  b.device_ops.begin = {9, 7, 8};
  b.device_ops.end = {90, 70, 80};
  sort(b);
  EXPECT_EQ(b.host_ranges.begin, (std::vector<std::int64_t>{10, 20, 30, 5}));
  EXPECT_EQ(b.host_ranges.end, (std::vector<std::int64_t>{40, 21, 31, 6}));
  EXPECT_EQ(b.calls.range, (std::vector<RangeId>{1, 2, 3}));
  EXPECT_EQ(b.calls.correlation, (std::vector<std::uint32_t>{200, 300, 50}));
  EXPECT_TRUE(b.calls.stream.empty());
  EXPECT_EQ(b.device_ops.end, (std::vector<std::int64_t>{70, 80, 90}));
}

TEST(StoreWriter, AForkedChildLetsGoWithoutAByte) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  ASSERT_TRUE(store->write(marks(*store, 10)).ok());
  const auto before = std::filesystem::file_size(scratch / "a.sst");
  const pid_t child = fork();
  if (child == 0) {
    store->intern("the child's");
    store->abandon();
    _exit(store->write(EventBatch{}).ok() || store->close(ExitReason::exited, 0).ok() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(std::filesystem::file_size(scratch / "a.sst"), before);
  EXPECT_TRUE(store->write(marks(*store, 10)).ok());
}

TEST(StoreWriter, AFileWhoseWriterDiedBeforeItsFirstWriteIsBegunAnew) {
  const Scratch scratch;
  for (const char* left : {"", "SSCO"}) {
    std::ofstream(scratch / "a.sst", std::ios::trunc) << left;
    Result<StoreWriter> store = StoreWriter::append(scratch / "a.sst");
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->write(marks(*store, 10)).ok());
    ASSERT_TRUE(store->close(ExitReason::unknown, 0).ok());
    const Result<TraceData> loaded = read_sst(scratch / "a.sst");
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->marks.size(), 10U);
  }
}

TEST(StoreWriter, AnotherProcessMayAppendMeanwhile) {
  const Scratch scratch;
  Result<StoreWriter> a = StoreWriter::create(scratch / "a.sst");
  ASSERT_TRUE(a->write(marks(*a, 10)).ok());
  Result<StoreWriter> b = StoreWriter::append(scratch / "a.sst");
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(b->write(marks(*b, 3)).ok());
    ASSERT_TRUE(a->write(marks(*a, 2)).ok());
  }
  a->health({.dropped_records = 4});
  b->health({.dropped_records = 30});
  ASSERT_TRUE(a->close(ExitReason::exited, 1).ok());
  ASSERT_TRUE(b->close(ExitReason::exited, 1).ok());
  const Result<TraceData> loaded = read_sst(scratch / "a.sst");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->marks.size(), 35U);
  EXPECT_EQ(loaded->threads.size(), 1U);
  EXPECT_EQ(loaded->health.dropped_records, 34U) << "writers add up";
  EXPECT_EQ(loaded->health.lost_chunks, 0U);
}

TEST(StoreWriter, TextsThatComeOnceAreNotRemembered) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst", {.max_strings = 4});
  for (int chunk = 0; chunk < 10; ++chunk) {
    EventBatch batch = marks(*store, 2);  // "name 0", "name 1"
    for (int i = 0; i < 100; ++i) {
      batch.marks.time.push_back(1'000'000 + 100 * chunk + i);
      batch.marks.name.push_back(store->intern_once("step " + std::to_string(100 * chunk + i)));
      batch.marks.thread.push_back(0);
    }
    ASSERT_TRUE(store->write(batch).ok());
  }
  EventBatch last = marks(*store, 2);
  last.marks.name[0] = store->intern("there is room");
  ASSERT_TRUE(store->write(last).ok());
  ASSERT_TRUE(store->close(ExitReason::returned, 0).ok());
  const Result<TraceData> loaded = read_sst(scratch / "a.sst");
  ASSERT_TRUE(loaded.ok());
  std::vector<std::string> texts;
  for (const StringId name : loaded->marks.name) texts.emplace_back(loaded->strings.view(name));
  for (int i = 0; i < 1000; ++i)
    EXPECT_THAT(texts, testing::Contains("step " + std::to_string(i)).Times(1));
  EXPECT_THAT(texts, testing::Contains("name 1").Times(11));
  EXPECT_THAT(texts, testing::Contains("there is room"));
  EXPECT_EQ(loaded->health.missing_fields, 0U);
}

TEST(StoreWriter, TextsThatComeOnceTakeNoMemoryOnceTheyAreWritten) {
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  const auto write_chunk = [&store] {
    for (int i = 0; i < 1000; ++i)
      (void)store->intern_once("a name of some length that is not kept " + std::to_string(i));
    ASSERT_TRUE(store->flush().ok());
  };
  write_chunk();
  const std::size_t before = mallinfo2().uordblks;
  for (int chunk = 0; chunk < 100; ++chunk) write_chunk();
  EXPECT_LT(mallinfo2().uordblks, before + (1U << 20U));  // the chunks hold 4 MB and more
}

// A disk that stays full must not cost the program its memory.
TEST(StoreWriter, TextsThatComeOnceAreBoundedBetweenTwoChunks) {
  Result<StoreWriter> full = StoreWriter::append("/dev/full");
  const std::string text(std::size_t{6} << 20U, 'x');
  StringId last = 0;
  for (int i = 0; i < 3; ++i) last = full->intern_once(text);
  EXPECT_EQ(last, full->intern("(too many names)"));
  const Scratch scratch;
  Result<StoreWriter> store = StoreWriter::create(scratch / "a.sst");
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(store->intern_once(text), store->intern("(too many names)"));
    ASSERT_TRUE(store->flush().ok());
  }
}

}  // namespace
}  // namespace stepscope
