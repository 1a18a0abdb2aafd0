// SPDX-License-Identifier: Apache-2.0
// One fix as a change of a task graph. Each edit is a source file that begins with its rule, a
// declaration in edits.hpp, and a row of the ordered list in all_edits.cpp.
//
// A property of the fixed program that the trace does not hold is an Estimate: a forecast replays
// the expected value, and its interval spans the two others. Each is stated as a sentence.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/simulate/fix.hpp"
#include "core/simulate/graph/task_graph.hpp"
#include "core/simulate/selection.hpp"

namespace stepscope {

enum class Luck : std::uint8_t { expected, good, bad };

struct Estimate {
  double expected;
  double good;
  double bad;

  double at(Luck luck) const {
    return luck == Luck::expected ? expected : luck == Luck::good ? good : bad;
  }
};

// The loop's time to take a batch from a worker of PyTorch's DataLoader, which is a process, and the worker's
// time to pack it and to be asked for it: 0.4 to 1.2 ms and 0.2 to 1.1 ms were measured with one to three
// tensors on two cores.
inline constexpr Estimate kLoaderTakeNs{700'000, 200'000, 1'500'000};
inline constexpr Estimate kLoaderGiveNs{900'000, 200'000, 1'500'000};

// How long the loop would take for a batch that takes a worker `by_worker` ns to make and to pack.
inline Estimate made_in_loop(double by_worker) {
  constexpr double kLeastWithoutPacking = 0.3;
  const auto without = [by_worker](double packing) {
    return std::max(kLeastWithoutPacking * by_worker, by_worker - packing);
  };
  return {without(kLoaderGiveNs.expected), without(kLoaderGiveNs.bad), by_worker};
}

struct Edit {
  TaskGraph& graph;
  const Fix& fix;
  const Selection& scope;
  Luck luck = Luck::expected;
  std::vector<std::string>& assumptions;
  std::size_t touched = 0;  // tasks that the edit changed; 0: there was nothing to change

  void assume(std::string sentence);  // once
};

struct EditRow {
  FixKind kind;
  std::string_view name;   // stable id
  std::string_view about;  // what it changes, for --help
  void (*apply)(Edit&);
};

std::span<const EditRow> all_edits();

// ---- what several edits do ------------------------------------------------------------------
// The call, its ops and its waiting are no more; the thread's order stays.
void drop(TaskGraph& graph, HostTask& task);
// The call before or behind on the same thread; kNone where there is none in its step.
std::uint32_t call_before(const TaskGraph& graph, std::uint32_t task);
std::uint32_t call_behind(const TaskGraph& graph, std::uint32_t task);
// Host work, neither a call nor a wait for a producer.
bool is_work(const HostTask& task);
// It issues ops, and all of them are such copies.
bool all_are(const TaskGraph& graph, const HostTask& task, CopyKind kind);

}  // namespace stepscope
