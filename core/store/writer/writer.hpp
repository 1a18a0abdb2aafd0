// SPDX-License-Identifier: Apache-2.0
// StoreWriter: writes one .sst file while a run goes on (layout: FORMAT.md). The only part of core
// that the injected library links: no fmt, no exceptions, libstdc++ and zstd only.
//
// Ids are local to one writer and dense from 0. A string, thread, stream, site or launch
// configuration is written in the chunk that first follows its creation, so a file cut anywhere
// loads whatever it still holds. Each write() appends one whole chunk with one system call to a
// file opened O_APPEND (again, where the program around has closed it); a second process may
// append() to the same file later (or even meanwhile): it has ids of its own.
//
// Not thread-safe: one thread writes. Nothing throws. A failed write returns an error (disk full,
// ...), leaves no partial chunk behind where the file system allows that, keeps the dictionaries
// for the next try and loses the batch, which is counted in the file's dropped records once a later
// write succeeds.
//
//   Result<StoreWriter> made = StoreWriter::create("run.scope/host-123.sst");
//   StoreWriter& store = *made;
//   store.describe({.pid = getpid(), .name = "python"});
//   batch.host_ranges.name.push_back(store.intern("aten::mm")); ...
//   if (Status s = store.write(batch); !s.ok()) warn(s.error().message);
//   clear(batch);                                      // every ~100 ms, or at ~16 k rows
//   // Absent, the reader says that the process died:
//   store.close(ExitReason::returned, 0);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/model/entities.hpp"
#include "core/store/writer/batch.hpp"
#include "core/support/result.hpp"

namespace stepscope {

enum class Codec : std::uint8_t { none = 0, zstd = 1 };

struct StoreOptions {
  Codec codec = Codec::zstd;
  int zstd_level = 3;
  bool overwrite = false;  // create() refuses an existing file unless told
  std::uint32_t max_strings =
      1U << 20;  // further texts all become "(too many names)", and are counted
};

class StoreWriter {
 public:
  // A new file; process 0 exists from the start.
  static Result<StoreWriter> create(const std::string& path, const StoreOptions& options = {});
  // An existing file, torn or whole, of a process that is gone. Describe process 0 with the same
  // pid and use the same tids: the reader joins by them.
  static Result<StoreWriter> append(const std::string& path, const StoreOptions& options = {});

  StoreWriter(StoreWriter&&) noexcept;
  StoreWriter& operator=(StoreWriter&&) noexcept;
  ~StoreWriter();  // closes the file without a footer

  // The same argument gives the same id again.
  StringId intern(std::string_view text);  // "" is 0
  // A new id each time: for texts that hardly come again, such as "step 123456". They are not
  // remembered, so they may be any number; only between two chunks there is a bound (16 MiB).
  StringId intern_once(std::string_view text);
  ProcessId process(std::int64_t pid);
  ThreadId thread(std::int64_t tid, ProcessId process = 0);
  StreamId stream(std::uint32_t device, std::uint32_t context, std::uint32_t stream,
                  ProcessId process = 0);
  SiteId site(const Site& site);  // its strings by this writer's ids
  LaunchConfigId launch_config(const LaunchConfig& config);

  // Facts, any time, as often as they become known; the last one counts. They travel with the next
  // chunk.
  void describe(const Process& process,
                ProcessId id = 0);  // all fields; facts are added to those known
  void fact(std::string_view key, std::string_view value, ProcessId process = 0);
  void device(const Device& device);  // by (process, index)
  void name_thread(ThreadId thread, std::string_view name);
  void name_stream(StreamId stream, std::string_view name);
  void clock(const ClockRecord& record);  // each one is kept
  // Records what this writer collects; a reader takes the union over writers.
  void collected(const Collected& collected);
  // Totals of this writer so far, not differences; a reader adds up the writers. rivals and notes
  // are kept once each.
  void health(const Health& totals);

  // One chunk with the batch and everything that is pending.
  Status write(const EventBatch& batch);
  // Pending facts and ids without events; no chunk where there is nothing.
  Status flush();
  // flush and the footer. The file is closed also where that fails.
  Status close(ExitReason reason, std::int32_t exit_status, ProcessId process = 0);
  // Called in a forked child: lets go of the parent's file without a byte.
  void abandon();

  // The byte of the file at which the next chunk will begin.
  std::uint64_t next_chunk_at() const;
  // Whether a whole chunk begins at that byte of a file: its writer died behind the write.
  static bool has_chunk_at(const std::string& path, std::uint64_t at);

  std::uint64_t bytes_written() const;

 private:
  struct State;
  explicit StoreWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
