// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "core/importers/byte_source.hpp"

namespace stepscope::nsys {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExportAgain = "export it again: nsys export --type sqlite REPORT.nsys-rep";

// Tables that only nsys writes; those named CUPTI_ACTIVITY_KIND_... nvprof wrote as well, with its
// texts in another table.
constexpr std::array kTellTales = {"META_DATA_EXPORT", "TARGET_INFO_SESSION_START_TIME",
                                   "NVTX_EVENTS", "OSRT_API"};

// Rows that stand beside the file, where one that opens it as unchanging does not look.
Status check_sidecars(const fs::path& path) {
  for (const char* suffix : {"-wal", "-journal"}) {
    std::error_code error;
    const auto size = fs::file_size(path.string() + suffix, error);
    if (error || size == 0) continue;
    return io_error(fmt::format(
        "{}{} lies beside it: another program has it open or did not close it, and what it wrote "
        "last is in that file. Close that program, or run: sqlite3 {} "
        "'pragma wal_checkpoint(truncate)', or {}",
        path.filename().string(), suffix, path.string(), kExportAgain));
  }
  return Done{};
}

// SQLite's writers lock bytes from 1 GiB on; a lock that forbids reading says who holds it.
Status check_locks(const fs::path& path) {
  constexpr off_t kLockBytes = 0x40000000;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return io_error(fmt::format("cannot open: {}", std::strerror(errno)));
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockBytes;
  lock.l_len = 512;
  const bool held = ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(file);
  if (!held) return Done{};
  return io_error(fmt::format(
      "process {} has locked it for writing: wait until that has finished (nsys export?), or read "
      "a copy",
      lock.l_pid));
}

class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    path_ = (error ? fs::path("/tmp") : folder) / "stepscope-nsys-XXXXXX";
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);
  }
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

  Status write(const char* from, std::size_t size) {
    while (descriptor_ >= 0 && size > 0) {
      const ssize_t wrote = ::write(descriptor_, from, size);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) break;
      from += wrote;
      size -= static_cast<std::size_t>(wrote);
    }
    if (size == 0) return Done{};
    return io_error(
        fmt::format("cannot unpack it into {}: {}. Set TMPDIR to a folder with room, or "
                    "unpack it first with gunzip",
                    path_, std::strerror(errno)));
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

Result<Database> open_unpacked(importers::ByteSource& source) {
  TemporaryFile file;
  std::vector<char> block(std::size_t{1} << 20U);
  while (true) {
    const Result<std::size_t> got = source.read(block.data(), block.size());
    if (!got.ok()) return got.error();
    if (*got == 0) break;
    if (const Status written = file.write(block.data(), *got); !written.ok())
      return written.error();
  }
  return Database::open(file.path());
}

Result<Database> open_any(const fs::path& path) {
  Result<std::unique_ptr<importers::ByteSource>> source = importers::open_bytes(path);
  if (!source.ok()) return source.error();
  if ((*source)->compressed()) return open_unpacked(**source);
  for (const auto check : {check_sidecars, check_locks}) {
    if (const Status sound = check(path); !sound.ok()) return sound.error();
  }
  return Database::open(path);
}

std::string first_tables(const Database& database) {
  std::string list;
  std::size_t named = 0;
  for (const std::string& table : database.tables()) {
    if (named++ == 5) return list + ", ...";
    list += (list.empty() ? "" : ", ") + table;
  }
  return list.empty() ? "none" : list;
}

bool is_export(const Database& database) {
  const std::set<std::string> tables = database.tables();
  const auto of_cupti = tables.lower_bound("CUPTI_ACTIVITY_KIND_");
  const bool any_cupti = of_cupti != tables.end() && of_cupti->starts_with("CUPTI_ACTIVITY_KIND_");
  return (any_cupti && database.has("StringIds")) ||
         std::any_of(kTellTales.begin(), kTellTales.end(),
                     [&database](const char* table) { return database.has(table); });
}

Status check_is_export(const Database& database) {
  if (is_export(database)) return Done{};
  if (database.has("about") && database.has("cells_rows")) {
    return bad_input(
        "written by stepscope export, for sqlite3 and pandas: give the trace that it "
        "was made from (sqlite3 FILE \"select value from about where key = 'trace'\")");
  }
  return bad_input(
      fmt::format("an SQLite file, but no export of Nsight Systems (its tables: {}). "
                  "Such an export is made by: nsys export --type sqlite "
                  "REPORT.nsys-rep",
                  first_tables(database)));
}

}  // namespace

Result<Database> open_export(const fs::path& path) {
  Result<Database> database = open_any(path);
  if (!database.ok()) return database;
  if (const Status sound = check_is_export(*database); !sound.ok()) return sound.error();
  return database;
}

}  // namespace stepscope::nsys
