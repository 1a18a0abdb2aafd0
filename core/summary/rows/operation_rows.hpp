// SPDX-License-Identifier: Apache-2.0
// How long the calls of one kernel take: their spread, and a histogram that several runs share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

struct LengthSpread {
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p99_ns = 0;
  std::int64_t max_ns = 0;
};

LengthSpread spread_of(const std::vector<std::int64_t>& lengths);

// Returns the lengths of the device ops of this name that begin in a counted step of the process
// whose steps these are.
std::vector<std::int64_t> op_lengths(const Trace& trace, const Summary& summary,
                                     std::string_view name);

// Bins whose edges grow by one factor: bin i holds lengths of [edges[i], edges[i + 1]).
struct LengthHistogram {
  std::vector<std::int64_t> edges;                 // one more than bins; empty without lengths
  std::vector<std::vector<std::uint64_t>> counts;  // by set of lengths, then by bin
};

// Over all sets, so that they can be laid over each other.
LengthHistogram histogram_of(const std::vector<std::vector<std::int64_t>>& sets, std::size_t bins);

// Rows of kernels added up: those of one name over all phases, of one class, of one phase. The sums
// of the groups are those of the rows.

enum class KernelGrouping : std::uint8_t {
  none,   // a row a name and phase, as Summary::kernels
  name,   // the phase stays where all calls are in it, else it is empty
  cause,  // the name is the class's
  phase,  // the name is the phase's
};

// Adds what `row` counts to `group`. Rates are over the time of both; phases that differ are none.
void add_kernel_row(KernelRow& group, const KernelRow& row);

// The largest first. A group's class is that of its largest row.
std::vector<KernelRow> group_kernels(const std::vector<KernelRow>& rows, KernelGrouping by);

// Operations that compute on the host: what a run without a device spends its time on, by name and
// class. Sums of the cells, so the rows' time is that of the causes host.compute.*.

struct HostOpRow {
  std::string name;  // "aten::native_batch_norm"
  Cause cause = Cause::unknown;
  std::int64_t ns_total = 0;
  std::uint64_t calls_total = 0;
};

// Largest first.
std::vector<HostOpRow> host_op_rows(std::span<const CellRow> cells);

// The name by which an operation is known from step to step and from run to run.
//
// A user's range often carries a number ("step 12", "ProfilerStep#7"), so digits of annotations
// become
// '#'. Names of kernels and of framework operations are kept as they are: their digits distinguish them
// apart.

std::string operation_name(std::string_view name, bool is_annotation);

}  // namespace stepscope
