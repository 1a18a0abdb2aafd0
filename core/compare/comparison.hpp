// SPDX-License-Identifier: Apache-2.0
// Why run B's step takes longer or shorter than run A's, as plain structs: reports/* only format
// it.
//
// A is the baseline; a delta is B minus A, so less than 0 is faster. Totals of both sides are over
// the same number of steps (`steps`): where the sides counted different numbers, each table is
// scaled and rounded by largest remainder. So each of `causes`, `phases`, `lines` and `parts` sums
// to delta_ns_total exactly, and residual_ns is 0 for every sound pair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

// count: more or fewer calls of the same work; per_call: the same calls take longer or shorter;
// added, removed: work that only one side has (never called a regression by itself); idle: time in
// which the device waits, by what held it up.
enum class DeltaKind : std::uint8_t { count, per_call, added, removed, idle };
std::string_view name_of(DeltaKind kind);

struct ComparedSide {
  RunFacts run;
  std::uint64_t steps_counted = 0;
  bool has_steps = true;           // false: the whole trace is the one that is counted
  std::int64_t wall_ns_total = 0;  // over Comparison::steps
  double wall_ns_per_step = 0;     // as the side's own report says
  std::int64_t p50_ns = 0;
  std::int64_t p90_ns = 0;
  std::uint64_t runs = 1;  // number of runs of this side; `run` is the one in the middle
  Bound bound = Bound::not_judged;
};

// Lowest and highest difference a step over all pairs of runs; only where a side has several runs.
using DeltaRange = std::optional<std::pair<double, double>>;

struct CauseDelta {
  Cause cause = Cause::unknown;
  std::int64_t a_ns = 0;
  std::int64_t b_ns = 0;
  std::int64_t delta_ns() const { return b_ns - a_ns; }
  DeltaRange range_ns_per_step;
};

struct PhaseDelta {  // time that the phase itself owns, without its inner phases
  std::string path;  // "forward/topk"; "(no phase)"
  std::int64_t a_ns = 0;
  std::int64_t b_ns = 0;
  std::int64_t delta_ns() const { return b_ns - a_ns; }
  DeltaRange range_ns_per_step;
};

// A line that is in the file of both sides has both numbers, even where only one side ran it.
struct LineDelta {
  std::string file;          // empty: no line is known
  std::uint32_t line = 0;    // in B; in A where B has none
  std::uint32_t a_line = 0;  // 0: not in A
  std::uint32_t b_line = 0;  // 0: not in B
  std::string function;
  std::int64_t a_ns = 0;
  std::int64_t b_ns = 0;
  Direction direction = Direction::none;
  std::int64_t delta_ns() const { return b_ns - a_ns; }
  DeltaRange range_ns_per_step;
};

// One summand of the difference.
struct DeltaPart {
  Cause cause = Cause::unknown;
  std::string phase;  // path
  std::string file;   // empty: no line
  std::uint32_t line = 0;
  std::string function;
  // Kernel, call or range; "14 operations" for a group of several; "x -> y" where the sides do not
  // do the same.
  std::string op;
  DeltaKind kind = DeltaKind::idle;
  std::int64_t delta_ns = 0;
  std::int64_t a_ns = 0;  // total of the whole group that this part belongs to, on each side
  std::int64_t b_ns = 0;
  std::uint64_t a_calls = 0;
  std::uint64_t b_calls = 0;
  std::uint32_t group = 0;  // parts of one match share it, and its range
  DeltaRange group_range_ns_per_step;
  Direction direction = Direction::none;
  bool line_in_both = false;  // both programs have the line, whatever they do there
};

// Work that one line or phase did otherwise on the two sides: "14 kernels -> 1".
struct Replacement {
  std::string phase;
  std::string file;
  std::uint32_t line = 0;
  std::vector<std::string> a_ops;
  std::vector<std::string> b_ops;
  double a_calls_per_step = 0;
  double b_calls_per_step = 0;
  std::int64_t delta_ns = 0;
};

// What one line adds to the difference of a count.
struct CountLineDelta {
  std::string file;        // empty: no line is known
  std::uint32_t line = 0;  // in B; in A where B has none
  std::string function;
  Direction direction = Direction::none;
  std::vector<std::string>
      operations;  // operations with more or fewer calls, under their side's names
  double a_per_step = 0;
  double b_per_step = 0;
  double delta() const { return b_per_step - a_per_step; }
};

struct CountDelta {  // kernels, launches, syncs, copies, bytes, ... a step
  std::string counter;
  double a_per_step = 0;
  double b_per_step = 0;
  // Lines whose count differs, largest |delta| first: they sum to the difference. Empty where a
  // side does not know the lines (a document of an earlier version).
  std::vector<CountLineDelta> lines;
};

// Where --samples was given: times of both sides are those of `per` samples, counts those of a step.
struct SampleScale {
  double a = 0;  // samples in a step of A
  double b = 0;
  double per = 0;  // the smaller of the two
};

struct Comparison {
  bool comparable = false;
  std::vector<std::string> why_not;  // each one sentence; empty where comparable
  bool anyway = false;               // the tables were asked for whatever why_not says
  std::vector<std::string>
      warnings;  // comparable, but to be known: another driver, slower clocks, ...
  ComparedSide a, b;
  std::optional<SampleScale> samples;
  std::uint64_t steps = 0;  // the totals below are over this many steps of each side
  std::int64_t delta_ns_total = 0;
  std::int64_t residual_ns = 0;    // delta_ns_total less the sum of parts
  DeltaRange range_ns_per_step;    // range of delta_ns_total a step
  std::vector<CauseDelta> causes;  // largest |delta| first, all tables
  std::vector<PhaseDelta> phases;
  std::vector<LineDelta> lines;
  std::vector<DeltaPart> parts;
  std::vector<Replacement> replaced;
  std::vector<CountDelta> counts;

  // Whether a report may show the tables.
  bool shown() const { return steps > 0 && (comparable || anyway); }
  double per_step(std::int64_t total) const {
    return steps ? static_cast<double>(total) / static_cast<double>(steps) : 0;
  }
};

struct CompareOptions {
  // Samples in a step of each side. Given both, times are per step of the smaller of the two: for
  // runs whose batches differ. Asked for by the user only.
  std::optional<double> a_samples;
  std::optional<double> b_samples;
  bool anyway = false;  // show the tables of runs that cannot be compared, with the reasons
};

// Swapping the sides negates every delta. Identical sides give zeros.
Comparison compare(const Summary& a, const Summary& b, const CompareOptions& options = {});

// Several runs a side: the tables are of the run in the middle of each side (its parts are nearest
// to the others'), the ranges over all pairs. Work that only a run beside the middle one has is in
// no row's range. Neither list may be empty.
Comparison compare_runs(const std::vector<Summary>& a, const std::vector<Summary>& b,
                        const CompareOptions& options = {});

}  // namespace stepscope
