// SPDX-License-Identifier: Apache-2.0
// Names, call sites and the log of one process, in the session layout of shared_layout.hpp.
//
// Begins in private memory (a process that records nothing writes nothing); share() moves it into a
// file without changing an address or an id. After a fork the child is private again, with all that
// was known, so that ids which hooks have cached stay right.
//
// A look-up of what is known takes no lock; an insertion takes one short spin lock. Full tables and
// a full disk answer with name 1, "(too many names)", and site 0.
//
// Names of ranges may differ in a running number, and a run has more steps than the table entries:
// beyond kNamesOfAPattern of them, or where the table is nearly full, they share the entry of their
// pattern. Patterns are counted by hash, so some share a count: then that many are of both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collectors/recorder/live_files/shared_layout.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::recorder {

inline constexpr NameId kTooManyNames = 1;
inline constexpr std::uint32_t kNamesOfAPattern = 1024;

class SpinLock {
 public:
  void lock() noexcept;
  bool try_lock() noexcept { return !flag_.test_and_set(std::memory_order_acquire); }
  void unlock() noexcept { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

// Read-only view, of the own process or of a dead one's file.
class SessionView {
 public:
  SessionView() = default;
  explicit SessionView(std::byte* base) : base_(base) {}
  SessionHeader& header() const { return *reinterpret_cast<SessionHeader*>(base_); }
  std::string_view name(NameId id) const;
  // Accept any number that a record may hold: a dying process may have written over its files.
  // Empty text and zeros where there is no entry.
  std::string_view known_name(std::uint32_t id) const;
  SiteEntry known_site(std::uint32_t id) const;
  SiteEntry site(SiteRef id) const { return table<SiteEntry>(kSitesOffset)[id]; }
  LogEntry log(std::uint32_t row) const { return table<LogEntry>(kLogOffset)[row]; }

  template <class T>
  T* table(std::size_t offset) const {
    return reinterpret_cast<T*>(base_ + offset);
  }
  std::byte* base() const { return base_; }

 private:
  std::byte* base_ = nullptr;
};

class Dictionary {
 public:
  bool open() noexcept;  // false: no address space
  NameId name(std::string_view text) noexcept;
  RangeName range_name(std::string_view text) noexcept;
  SiteRef site(NameId file, std::uint32_t line, NameId function) noexcept;
  void log(const LogEntry& entry) noexcept;
  // Adds bits of Collector to the header. Under the lock: what is set while share() copies is lost.
  void add_collected(std::uint32_t bits) noexcept;
  const SessionView& view() const { return view_; }

  // Into a new file (absolute path). False leaves everything as it was.
  bool share(const char* path) noexcept;
  // Moves the tables back to private memory in a forked child, with the lock held since before the
  // fork.
  bool unshare() noexcept;

  SpinLock& lock() { return lock_; }

 private:
  bool reserve(std::size_t region, std::size_t end) noexcept;
  NameId find_name(std::string_view text, std::uint32_t hash) const noexcept;  // 0: not there
  bool is_one_of_many(std::string_view pattern) noexcept;
  NameId insert_name(std::string_view text, std::uint32_t hash) noexcept;
  NameId append_name(std::string_view text) noexcept;

  struct Region {
    std::size_t offset;
    std::size_t backed;  // bytes with blocks behind them
  };
  SessionView view_;
  std::atomic<std::uint64_t>* name_slots_ = nullptr;  // hash << 32 | id + 1
  std::atomic<std::uint32_t>* site_slots_ = nullptr;  // id + 1
  char path_[4096] =
      {};  // empty: private. No descriptor is kept: programs close what they do not know
  std::atomic<std::uint16_t> names_of_pattern_[4096]{};
  Region regions_[4] = {{kNamesOffset, 0}, {kSitesOffset, 0}, {kLogOffset, 0}, {kTextOffset, 0}};
  SpinLock lock_;
};

}  // namespace stepscope::recorder
