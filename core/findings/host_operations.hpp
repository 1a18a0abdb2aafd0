// SPDX-License-Identifier: Apache-2.0
// The operations of a step on a CPU: how many there are, at which lines, and whether torch.compile
// would make them fewer. The optimizer's and a loader's are in none of the counts.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

using Line = std::pair<std::string_view, std::uint32_t>;  // file, number

Line line_of(const JudgedRun& run, SiteId site);

// Returns what computing takes whatever the size of its tensors: at most 3 us of each record that computes.
// `times`: by record. 41 operations on 48 elements took 0.2 to 3.0 us for each of their records, 1.2 in the
// middle, but gelu 22 (docs/measurements/forecasts.md).
std::int64_t fixed_ns_of(const std::map<RangeId, std::int64_t>& times);

// Counts over all counted steps.
struct OperationCount {
  std::uint64_t count = 0;  // outermost operations of the loop's thread
  std::uint64_t compiled =
      0;  // those at lines that a backward pass goes through, or all where none is
  // How often such lines go on behind a value that was read, or choose by a mask: each ends a compiled graph.
  std::uint64_t breaks = 0;
  std::int64_t median_ns = 0;  // their median length
  std::int64_t fixed_ns = 0;   // what their computing takes whatever its size
  struct AtLine {
    std::uint64_t reads = 0, others = 0;
    bool has_gradients = false;
  };
  std::map<Line, AtLine> by_line;  // operations that only read a value, and the rest
  // Element-wise and reducing operations, and products, in a pass that has gradients: also those
  // inside of others.
  std::uint64_t joined = 0, products = 0;
  // In which such a pass does what compiled code may make slower on a CPU: it makes random numbers, or sums
  // the gradients of embeddings.
  std::int64_t slower_ns = 0;

  // Whether the line hardly does more than to read values out of tensors: what it does with them (it
  // prints, logs or compares) is the program's own, and no compiler joins it.
  bool is_of_values(const Line& line) const;
};

OperationCount count_operations(const JudgedRun& run);

// A compiled step takes as long on its way (guards, and into its two graphs) as some operations do.
// Measured on a step of 11, which became slower.
inline constexpr double kCompiledAsOperations = 12, kCompiledAsFewest = 4, kCompiledAsMost = 20;
inline constexpr double kSavedByCompiling = 0.7;  // share of the way between operations

// Whether it runs recurrent layers of PyTorch, which torch.compile leaves as they are; not cells.
bool has_recurrent_layer(const JudgedRun& run);

// Says why torch.compile does not compile the model, does so in short pieces alone, or may make it slower;
// empty where none of this is so.
std::string_view why_not_compiled(const JudgedRun& run, const OperationCount& count);
// Says why torch.compile would not join what the host computes; empty where it may.
std::string_view why_not_joined(const JudgedRun& run, const OperationCount& count);
// Says why it would not help between operations either; empty where it may.
std::string_view why_no_compiler(const JudgedRun& run, const OperationCount& count);

constexpr bool is_joined(Cause cause) {
  return cause == Cause::host_compute_elementwise || cause == Cause::host_compute_reduce;
}

// The lines whose gradients a backward pass makes, by site.
std::vector<bool> sites_with_gradients(const JudgedRun& run);

// The lines that a backward pass goes through, which are what torch.compile(model) compiles; all of
// them where no such pass was recorded.
std::vector<bool> compiled_sites(const JudgedRun& run);
// Whether a counted segment is of such a line.
bool is_compiled(const JudgedRun& run, const std::vector<bool>& sites, const Segment& segment);

// Whether the operation of a segment on the CPU reads or adds to rows by their index; those that a mask
// chooses are not among them.
bool is_of_rows(const JudgedRun& run, const Segment& s);

// Whether the operation of a segment on the CPU makes random numbers.
bool makes_random_numbers(const JudgedRun& run, const Segment& s);

// Whether torch.compile makes the operation of a segment on the CPU no faster. `with_gradients`:
// sites_with_gradients(run).
bool is_as_good_as_compiled(const JudgedRun& run, const std::vector<bool>& with_gradients,
                            const Segment& s);

}  // namespace stepscope::rules
