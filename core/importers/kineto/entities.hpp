// SPDX-License-Identifier: Apache-2.0
// The processes, threads and streams of a Kineto file, named when they first appear.
//
// A process is a numeric pid of a host event. Device events stand under pid = device index, and
// overhead under pid -1: neither is a process. Their owner, and that of all streams, is the file's
// main process (most CUDA calls, else most host ranges), known only at the end: until finish() they
// point to kNone. A container's python may be pid 1 beside device 1, so labels are matched by what
// they say ("stream 7").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/importers/kineto/field_reader.hpp"
#include "core/model/trace.hpp"

namespace stepscope::kineto {

class Entities {
 public:
  Entities(TraceData& data, FieldReader& fields) : data_(data), fields_(fields) {}

  ThreadId thread_of(const Event& event);
  ProcessId process_of(const Event& event);  // kNone: the main process
  // `otherwise`: the number of the stream where the event names none (-1); kNone gives kNone.
  StreamId stream_of(const Event& event, std::uint32_t otherwise = kNone);
  void label(const Event& event);  // ph M

  // A timed event of an unknown kind.
  void count_unread(const Event& event) { ++unread_[number_of(event, Field::pid)]; }
  // What a reader is told where more of a device's events are unread than read; else empty. To be
  // asked before finish().
  std::string unread_device_work() const;

  const std::map<std::int64_t, std::string>& process_names() const { return process_names_; }

  // Joins what stands under several numbers and is one thread (thread_layers.hpp). Before finish().
  void join_layers();

  // Gives every row its process and name; returns the main process.
  ProcessId finish();

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;
  struct HashKey {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>(key.first) * 0x9E3779B97F4A7C15U ^
             static_cast<std::size_t>(key.second);
    }
  };

  std::int64_t number_of(const Event& event, Field field);
  std::optional<std::int64_t> written_pid(std::int64_t pid) const;
  ProcessId process(std::int64_t pid);
  ThreadId add_thread(const Key& key);
  StreamId add_stream(std::uint32_t device, std::uint32_t context, std::uint32_t stream);
  void join_processes(ProcessId from, ProcessId to);
  ProcessId main_process();
  void name_thread(const Key& key, std::string_view name);
  std::uint32_t context_of(const Event& event, Field field);
  std::uint32_t stream_number(const Event& event, Field field, std::uint32_t otherwise);
  std::uint32_t device_of(const Event& event, Field field);
  void give_threads_of_devices_to(ProcessId owner);
  void give_streams_to(ProcessId owner);
  void remove_processes_without_threads();

  TraceData& data_;
  FieldReader& fields_;
  std::map<std::int64_t, ProcessId> processes_;
  std::unordered_map<Key, ThreadId, HashKey> threads_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, StreamId> streams_;
  Key last_key_{};
  ThreadId last_thread_ = kNone;
  std::map<std::int64_t, std::string> process_names_;
  std::map<Key, std::string> thread_names_;
  std::map<std::int64_t, std::string> process_labels_;
  std::map<std::int64_t, std::uint64_t> unread_;         // by pid
  std::map<std::int64_t, std::uint32_t> device_of_pid_;  // where devices have no numbers
};

}  // namespace stepscope::kineto
