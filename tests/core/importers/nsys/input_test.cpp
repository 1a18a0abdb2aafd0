// SPDX-License-Identifier: Apache-2.0
// Files that are no sound export: one message, what to do, and the right kind of error.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <iterator>

#include "core/importers/load.hpp"
#include "tests/core/importers/nsys/nsys_maker.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

std::string one_range() {
  return std::string(kStringTable) + kNvtxTable +
         "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'a', " + gtid(5, 6) + ", NULL, 0);";
}

Error error_of(const std::string& path) {
  const Result<Trace> trace = load(path);
  EXPECT_FALSE(trace.ok()) << path;
  return trace.ok() ? Error{} : trace.error();
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void gzip(const std::string& from, const std::string& to) {
  const std::string bytes = bytes_of(from);
  const gzFile file = gzopen(to.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

TEST(NsysInput, IsKnownByItsContentAndReadFromGzip) {
  const NsysFile file;
  file.run(one_range());
  gzip(file.path, file.scratch / "odd name %20?#.bin");
  const Result<Trace> trace = load(file.scratch / "odd name %20?#.bin");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->data().source, SourceKind::nsys);
  std::filesystem::rename(file.path, file.scratch / "plain %20?#.json");
  EXPECT_TRUE(load(file.scratch / "plain %20?#.json").ok());
}

TEST(NsysInput, EndsWithAMessageWhereMemoryEnds) {
  const NsysFile file;
  file.run(std::string(kStringTable) + kNvtxTable +
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT "
           "INTO NVTX_EVENTS SELECT i, i + 1, 59, 'a', " +
           gtid(5, 6) + ", NULL, 0 FROM n;");
  const MemoryRoom none([] { return std::uint64_t{8} << 30U; }, [] { return std::uint64_t{1}; });
  const Result<TraceData> data = read_nsys(file.path, {}, none);
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().code, ErrorCode::unsupported);
  EXPECT_THAT(data.error().message, HasSubstr(file.path + ": is too large for this machine"));
}

TEST(NsysInput, AnotherProgramsDatabaseSaysWhichTablesItHas) {
  const NsysFile file;
  file.run("CREATE TABLE recipes (id INTEGER); CREATE TABLE cooks (id INTEGER);");
  const Error error = error_of(file.path);
  EXPECT_EQ(error.code, ErrorCode::bad_input);
  EXPECT_THAT(error.message, HasSubstr(file.path));
  EXPECT_THAT(error.message, HasSubstr("cooks, recipes"));
  EXPECT_THAT(error.message, HasSubstr("nsys export --type sqlite"));
}

TEST(NsysInput, AnExportWithoutEventsIsNoTrace) {
  const NsysFile file;
  file.run(std::string(kStringTable) + kNvtxTable);
  const Error error = error_of(file.path);
  EXPECT_EQ(error.code, ErrorCode::bad_input);
  EXPECT_THAT(error.message, HasSubstr("without events"));
}

TEST(NsysInput, AReportThatIsNotExportedSaysHow) {
  const NsysFile file;
  write_file(file.scratch / "run.nsys-rep", {'x', 'y'});
  const Error error = error_of(file.scratch / "run.nsys-rep");
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_THAT(error.message, HasSubstr("nsys export --type sqlite --output run.sqlite"));
}

TEST(NsysInput, AWriteAheadLogBesideItIsNamedAndNothingIsTouched) {
  const NsysFile file;
  Sql writer(file.path);
  writer.run("PRAGMA journal_mode = WAL;" + one_range());
  const std::string log = bytes_of(file.path + "-wal");
  ASSERT_FALSE(log.empty());
  const Error error = error_of(file.path);
  EXPECT_EQ(error.code, ErrorCode::io);
  EXPECT_THAT(error.message, HasSubstr("run.sqlite-wal"));
  EXPECT_THAT(error.message, HasSubstr("wal_checkpoint"));
  EXPECT_EQ(bytes_of(file.path + "-wal"), log);
}

TEST(NsysInput, AFileThatWasInWalModeAndIsClosedReads) {
  const NsysFile file;
  file.run("PRAGMA journal_mode = WAL;" + one_range());
  EXPECT_EQ(file.read().host_ranges.size(), 1U);
}

// Locks of one process do not meet themselves, so another one holds it.
TEST(NsysInput, ALockedFileNamesItsHolder) {
  const NsysFile file;
  file.run(one_range());
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const int descriptor = open(file.path.c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000001;
    lock.l_len = 1;
    fcntl(descriptor, F_SETLK, &lock);
    [[maybe_unused]] const ssize_t told = write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const Error error = error_of(file.path);
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  EXPECT_EQ(error.code, ErrorCode::io);
  EXPECT_THAT(error.message, HasSubstr("process " + std::to_string(writer) + " has locked it"));
  EXPECT_TRUE(load(file.path).ok());
}

TEST(NsysInput, CutAndDamagedFilesAreErrors) {
  const NsysFile file;
  file.run(one_range() +
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
           "i < 2000) INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, 'some name', " +
           gtid(5, 6) + ", NULL, 0 FROM n;");
  const std::string whole = bytes_of(file.path);
  ASSERT_GT(whole.size(), 40000U);
  for (const std::size_t size : {std::size_t{16}, std::size_t{500}, whole.size() / 2}) {
    const std::string part = whole.substr(0, size);
    write_file(file.scratch / "cut.sqlite", {part.begin(), part.end()});
    const Error error = error_of(file.scratch / "cut.sqlite");
    EXPECT_EQ(error.code, ErrorCode::bad_input) << error.message;
    EXPECT_THAT(error.message, HasSubstr("cut.sqlite"));
  }
  gzip(file.path, file.scratch / "whole.gz");
  const std::string packed = bytes_of(file.scratch / "whole.gz");
  const std::string part = packed.substr(0, packed.size() / 2);
  write_file(file.scratch / "cut.gz", {part.begin(), part.end()});
  EXPECT_EQ(error_of(file.scratch / "cut.gz").code, ErrorCode::bad_input);
}

}  // namespace
}  // namespace stepscope
