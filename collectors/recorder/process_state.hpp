// SPDX-License-Identifier: Apache-2.0
// The one recorder of a process: whether it records, its dictionary, its rings, and the hand-shake
// with the writer thread. Constant-initialised and never destroyed, so it is there before main and
// until the last instruction.
//
//   off -> armed -> open -> closed      armed: hooks may call, nothing is written yet
//
// The first event opens the session: files in live/, the writer thread. A fork leads the child back
// to armed with the parent's names; fork waits for the two locks, so both are free in the child.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>

#include "collectors/recorder/draining/row_source.hpp"
#include "collectors/recorder/live_files/dictionary.hpp"
#include "core/model/entities.hpp"

namespace stepscope::recorder {

enum class Phase : int { off, armed, open, closed };

struct Settings {
  const char* folder;                    // absolute; holds live/ already
  std::uint32_t ring_slots = 1U << 18U;  // 4 MiB a thread
  std::uint32_t flush_ms = 100;          // between two looks at the rings
  void (*on_open)() noexcept = nullptr;  // before a session's files are made: facts, notes
};

inline constexpr std::uint32_t kMaxRings = 4096;

struct ProcessState {
  std::atomic<Phase> phase{Phase::off};
  bool ticks_are_ns = false;
  std::int64_t began_ns = 0;  // when the process, or this fork of it, began; CLOCK_MONOTONIC
  Dictionary dictionary;
  std::array<char, 2048> folder{};
  std::array<char, 512> stem{};  // HOST-PID-NONCE of the open session
  std::uint32_t ring_slots = 0;
  std::uint32_t flush_ms = 0;
  void (*on_open)() noexcept = nullptr;
  std::array<std::atomic<RingHeader*>, kMaxRings> rings{};
  std::atomic<RingHeader*> watched{nullptr};  // the ring that stands for a thread without records
  std::bitset<kMaxRings> ring_taken;          // published or being made; with the lock held
  std::atomic<std::uint32_t> ring_count{0};
  SpinLock lock;                          // opening the session, making and retiring rings
  std::atomic<std::uint32_t> streams{0};  // StreamRefs given out

  // Writer thread. wake is bumped to call it; done becomes 1 when all is in the file.
  std::atomic<std::uint32_t> wake{0};
  std::atomic<std::uint32_t> stop{0};
  std::atomic<std::uint32_t> done{0};
  std::array<std::atomic<RowSource*>, kMaxRowSources> sources{};  // those there are come first
  std::atomic<std::uint32_t> sources_stop{0};
  std::atomic<std::uint32_t> sources_done{0};
  ExitReason exit_reason = ExitReason::unknown;
  std::int32_t exit_status = 0;
};

extern ProcessState process;

// Starts to take events; idempotent, the first call counts. False: off, with the reason in the log.
bool start(const Settings& settings) noexcept;
// Everything recorded goes into the file; at most `kFinishSeconds` on a stuck disk. Nothing is
// recorded afterwards. For a process that ends; harmless where nothing was recorded.
void finish(ExitReason reason, std::int32_t status) noexcept;
inline constexpr int kFinishSeconds = 10;

// Returns the time since the process, or this fork of it, loaded the recorder.
std::int64_t process_life_ns() noexcept;

// The calling thread's ring, made at its first event. Null: do not record.
RingHeader* attach_thread() noexcept;
// Opens the session for a thread that records nothing, so that it is sampled. The ring that stands
// for it ends with the thread's own first event. On a thread of ours.
bool watch_thread(std::int64_t tid) noexcept;
void wake_writer() noexcept;

using PathText = std::array<char, 4096>;
PathText live_path(const char* name) noexcept;  // live/<name>
// live/STEM<suffix>, or live/STEM.<index>.ring
PathText session_path(const char* suffix) noexcept;
PathText ring_path(std::uint32_t index) noexcept;
PathText store_path() noexcept;

}  // namespace stepscope::recorder
