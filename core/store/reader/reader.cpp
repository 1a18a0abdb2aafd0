// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/reader.hpp"

#include <algorithm>
#include <fstream>

#include "core/store/reader/chunk_scan.hpp"
#include "core/store/reader/file_bytes.hpp"
#include "core/store/reader/reader_parts.hpp"
#include "core/store/reader/store_decoder.hpp"

namespace stepscope {

using namespace store;

namespace fs = std::filesystem;

namespace {

Result<std::vector<fs::path>> process_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".sst") files.push_back(at->path());
  }
  if (error) return io_error("cannot list " + folder.string() + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

// A writer describes its process in its first chunk, which rarely is larger than this, and once more
// where the program makes its process group: as a rule within so many bytes.
constexpr std::size_t kHeadOfFile = 1U << 20U, kUntilGroup = 8U << 20U;

// Reads the first chunks, as many as asked for, that lie whole within so many bytes.
Result<FileOfRank> rank_in_head(const fs::path& path, std::size_t bytes, std::size_t chunks) {
  const Result<FileBytes> head = FileBytes::read(path, bytes);
  if (!head) return head.error();
  Result<Scan> scan = scan_chunks(head->bytes(), path.string());
  if (!scan) return scan.error();
  FileOfRank none{.path = path};
  if (scan->chunks.empty() && bytes < SIZE_MAX) return rank_in_head(path, SIZE_MAX, chunks);
  if (scan->chunks.empty()) return none;
  if (scan->chunks.size() > chunks) scan->chunks.resize(chunks);
  const std::vector<Scan> scans{std::move(*scan)};
  StoreDecoder decoder;
  if (Status room = decoder.expect(scans, path.string()); !room) return room.error();
  decoder.decode(scans.front(), path.string(), {});
  const TraceData data = decoder.take();
  if (data.processes.empty()) return none;
  return FileOfRank{path, data.processes.front().rank, data.processes.front().world_size, ""};
}

Result<FileOfRank> rank_of_file(const fs::path& path, bool of_many) {
  Result<FileOfRank> first = rank_in_head(path, kHeadOfFile, 1);
  if (!first || first->rank >= 0 || !of_many) return first;
  return rank_in_head(path, kUntilGroup, SIZE_MAX);
}

}  // namespace

Result<TraceData> read_sst_bytes(Bytes file, const std::string& name, const Progress& progress) {
  Result<Scan> scan = scan_chunks(file, name);
  if (!scan.ok()) return scan.error();
  std::vector<Scan> scans;
  scans.push_back(std::move(*scan));
  StoreDecoder decoder;
  if (Status room = decoder.expect(scans, name); !room.ok()) return room.error();
  decoder.decode(scans.front(), name, progress);
  TraceData data = decoder.take();
  data.path = name;
  return data;
}

Result<TraceData> read_sst(const fs::path& path, const Progress& progress) {
  Result<FileBytes> file = FileBytes::read(path);
  if (!file.ok()) return file.error();
  return read_sst_bytes(file->bytes(), path.string(), progress);
}

Result<std::vector<FileOfRank>> ranks_of_scope(const fs::path& folder) {
  const Result<std::vector<fs::path>> paths = process_files(folder);
  if (!paths.ok()) return paths.error();
  std::vector<FileOfRank> out;
  for (const fs::path& path : *paths) {
    Result<FileOfRank> file = rank_of_file(path, paths->size() > 1);
    out.push_back(file ? std::move(*file)
                       : FileOfRank{.path = path, .problem = file.error().message});
  }
  return out;
}

Result<TraceData> read_scope(const fs::path& folder, const Progress& progress) {
  const Result<std::vector<fs::path>> paths = process_files(folder);
  if (!paths.ok()) return paths.error();
  if (paths->empty()) {
    return bad_input(folder.string() +
                     " holds no .sst file: no process of the run recorded anything; "
                     "was the profiled program started at all, and does --only match it?");
  }
  return read_scope_files(folder, *paths, progress);
}

Result<TraceData> read_scope_files(const fs::path& folder, const std::vector<fs::path>& paths,
                                   const Progress& progress) {
  std::vector<FileBytes> files;
  std::vector<Scan> scans;
  std::vector<std::string> names;
  std::vector<std::string> unreadable;
  Error first_error;
  for (const fs::path& path : paths) {
    Result<FileBytes> file = FileBytes::read(path);
    Result<Scan> scan = file.ok() ? scan_chunks(file->bytes(), path.string()) : file.error();
    if (!scan.ok()) {  // one bad file of many must not hide the others
      if (unreadable.empty()) first_error = scan.error();
      unreadable.push_back(scan.error().message);
      continue;
    }
    files.push_back(std::move(*file));
    scans.push_back(std::move(*scan));
    names.push_back(path.filename().string());
  }
  if (scans.empty()) return first_error;
  StoreDecoder decoder;
  if (Status room = decoder.expect(scans, folder.string()); !room.ok()) return room.error();
  for (std::size_t i = 0; i < scans.size(); ++i) {
    decoder.decode(scans[i], names[i], {});
    files[i] = {};
    report_progress(progress, i + 1, scans.size());
  }
  TraceData data = decoder.take();
  data.path = folder.string();
  for (std::string& message : unreadable) data.health.notes.push_back(std::move(message));
  if (Status run = add_run_json(folder / "run.json", data); !run.ok()) return run.error();
  return data;
}

bool sniff_sst(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, kFileMagic.size()> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return path.extension() == ".sst" ||
         std::equal(head.begin(), head.end(), kFileMagic.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

bool sniff_scope(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

}  // namespace stepscope
