// SPDX-License-Identifier: Apache-2.0
#include "core/findings/host_operations.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace stepscope::rules {
namespace {

// So many operations make a value that is read, where no gradient goes through its line: a comparison, a sum.
constexpr std::uint64_t kOperationsForAValue = 4;
// Share of the step. A language model whose dropout took 12 % became 32 % slower when it was compiled, and
// embeddings of 15,000 rows, whose gradients took a tenth, became 20 to 36 % slower.
constexpr double kMuchSlower = 0.05;
constexpr double kJoinsToProducts = 5.8;  // from so many on there are chains to join

bool is_product(Cause cause) {
  return cause == Cause::host_compute_gemm || cause == Cause::host_compute_attention;
}

// Whether it is a part of summing the gradients of an embedding. Compiled sums took 0.8 to 1.9 times as long.
bool sums_an_embedding(const Trace& trace, RangeId range) {
  const HostRanges& h = trace.host_ranges();
  for (; range != kNone; range = h.parent[range])
    if (trace.text(h.name[range]) == "aten::embedding_dense_backward") return true;
  return false;
}

void count_classes(const JudgedRun& run, OperationCount& out) {
  const std::vector<bool> sites = compiled_sites(run);
  std::vector<bool> seen(run.trace.host_ranges().size(), false);
  for (const Segment& s : run.segments()) {
    const bool joins = is_joined(s.cause);
    if ((!joins && !is_product(s.cause)) || s.host_evidence == kNone) continue;
    if (!is_compiled(run, sites, s)) continue;
    if (makes_random_numbers(run, s) || sums_an_embedding(run.trace, s.host_evidence))
      out.slower_ns += s.time.length();
    if (seen[s.host_evidence]) continue;
    seen[s.host_evidence] = true;
    ++(joins ? out.joined : out.products);
  }
}

bool reads_a_value(std::string_view operation) {
  return operation == "aten::item" || operation == "aten::_local_scalar_dense" ||
         operation == "aten::is_nonzero";
}

// Whether a range's name passes the test, which is asked once a name.
template <class Test>
bool has_range(const JudgedRun& run, Test passes) {
  const std::vector<StringId>& names = run.trace.host_ranges().name;
  std::unordered_set<StringId> seen;
  StringId last = kNone;
  return std::any_of(names.begin(), names.end(), [&](StringId name) {
    if (std::exchange(last, name) == name || !seen.insert(name).second) return false;
    return passes(run.trace.text(name));
  });
}

bool has_range_with(const JudgedRun& run, std::string_view part) {
  return has_range(run, [part](std::string_view name) { return name.find(part) != name.npos; });
}

// Returns whether an operation looks up which elements of a mask are set, right below itself.
bool chooses_by_mask(const JudgedRun& run, RangeId range) {
  const HostRanges& h = run.trace.host_ranges();
  for (RangeId inner = range + 1;
       inner < h.size() && h.thread[inner] == h.thread[range] && h.begin[inner] < h.end[range];
       ++inner)
    if (run.trace.text(h.name[inner]) == "aten::nonzero") return true;
  return false;
}

bool is_of_indexed_rows(const JudgedRun& run, RangeId range) {
  constexpr std::string_view kRows[] = {"aten::index_select", "aten::index",
                                        "aten::index_put_",   "aten::_index_put_impl_",
                                        "aten::index_add_",   "aten::scatter_add_"};
  const std::string_view name = run.trace.text(run.trace.host_ranges().name[range]);
  return std::ranges::find(kRows, name) != std::end(kRows);
}

bool compiles_to_no_less(const JudgedRun& run, double operations) {
  return run.language == Language::python &&
         operations * kSavedByCompiling <= kCompiledAsOperations;
}

std::map<RangeId, std::int64_t> computing_times(const JudgedRun& run) {
  std::map<RangeId, std::int64_t> out;
  for (const Segment& s : run.segments()) {
    if (family_of(s.cause) != CauseFamily::host_compute || !run.counts(s.time.begin)) continue;
    if (run.optimizer_phases[s.phase] || run.makes_input(s.time.begin)) continue;
    out[s.host_evidence] += s.time.length();
  }
  return out;
}

}  // namespace

std::int64_t fixed_ns_of(const std::map<RangeId, std::int64_t>& times) {
  constexpr std::int64_t kFixedNs = 3'000;
  std::int64_t out = 0;
  for (const auto& [range, ns] : times) out += std::min(ns, kFixedNs);
  return out;
}

std::vector<bool> sites_with_gradients(const JudgedRun& run) {
  std::vector<bool> out(run.trace.data().sites.size(), false);
  for (const Segment& s : run.segments())
    if (s.direction == Direction::backward && s.site != kNone) out[s.site] = true;
  return out;
}

bool has_recurrent_layer(const JudgedRun& run) {
  constexpr std::array kLayers = {"aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu"};
  return has_range(run, [&](std::string_view name) {
    return std::ranges::find(kLayers, name) != kLayers.end();
  });
}

Line line_of(const JudgedRun& run, SiteId site) {
  const Site& at = run.trace.data().sites[site];
  return {run.trace.text(at.file), at.line};
}

bool OperationCount::is_of_values(const Line& line) const {
  const auto at = by_line.find(line);
  if (at == by_line.end() || at->second.reads == 0) return false;
  const auto& [reads, others, has_gradients] = at->second;
  return others <= (has_gradients ? 1 : kOperationsForAValue) * reads;
}

std::vector<bool> compiled_sites(const JudgedRun& run) {
  std::vector<bool> out = sites_with_gradients(run);
  if (std::ranges::find(out, true) == out.end()) out.flip();
  return out;
}

bool is_compiled(const JudgedRun& run, const std::vector<bool>& sites, const Segment& segment) {
  return segment.site != kNone && sites[segment.site] && run.counts(segment.time.begin) &&
         !run.optimizer_phases[segment.phase];
}

OperationCount count_operations(const JudgedRun& run) {
  const HostRanges& h = run.trace.host_ranges();
  std::vector<std::int64_t> lengths;
  OperationCount out;
  const std::vector<bool> with_gradients = sites_with_gradients(run),
                          compiled = compiled_sites(run);
  std::int64_t until = 0;
  bool has_read = false;  // since the last operation at a compiled line
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    if (h.kind[r] != HostKind::op || h.begin[r] < until || !run.counts(h.begin[r])) continue;
    if (run.in_optimizer(h.begin[r]) || run.makes_input(h.begin[r])) continue;
    lengths.push_back(h.end[r] - h.begin[r]);
    until = h.end[r];
    if (run.sites[r] == kNone) continue;
    const bool reads_here = reads_a_value(run.trace.text(h.name[r]));
    has_read |= reads_here;
    if (compiled[run.sites[r]] && !reads_here) {
      ++out.compiled;
      out.breaks += std::exchange(has_read, false) || chooses_by_mask(run, r) ? 1U : 0U;
    }
    auto& [reads, others, has_gradients] = out.by_line[line_of(run, run.sites[r])];
    has_gradients |= with_gradients[run.sites[r]];
    ++(reads_here ? reads : others);
  }
  if (lengths.empty()) return out;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  out.count = lengths.size();
  out.median_ns = *middle;
  out.fixed_ns = fixed_ns_of(computing_times(run));
  count_classes(run, out);
  return out;
}

std::string_view why_not_compiled(const JudgedRun& run, const OperationCount& count) {
  if (has_range_with(run, "BackwardBackward") || has_range_with(run, "DoubleBackward"))
    return "torch.compile does not support the second derivatives that this program takes";
  if (has_range_with(run, "CompiledFunction") || has_range_with(run, "Torch-Compiled Region"))
    return "what is compiled already stays";
  if (has_recurrent_layer(run)) return "torch.compile does not compile recurrent layers";
  if (count.breaks > 0 && kSavedByCompiling * static_cast<double>(count.compiled) <=
                              kCompiledAsOperations * static_cast<double>(count.breaks))
    return "values that are read and masks that choose rows in its midst would cut a compiled step "
           "into many short graphs";
  if (run.weight(run.per_step(count.slower_ns)) >= kMuchSlower)
    return "random numbers (dropout) or the gradients of embeddings are much of the step, and "
           "compiled code may make them slower on a CPU";
  return "";
}

std::string_view why_not_joined(const JudgedRun& run, const OperationCount& count) {
  if (const std::string_view why = why_not_compiled(run, count); !why.empty()) return why;
  if (static_cast<double>(count.joined) < kJoinsToProducts * static_cast<double>(count.products))
    return "most of them go with matrix products and convolutions, so torch.compile finds few to "
           "join";
  return "";
}

std::string_view why_no_compiler(const JudgedRun& run, const OperationCount& count) {
  if (compiles_to_no_less(run, run.count_per_step(count.count)))
    return "a call of a compiled step takes about as long as so few operations do";
  return why_not_joined(run, count);
}

bool is_of_rows(const JudgedRun& run, const Segment& s) {
  if (run.has_device || s.host_evidence == kNone) return false;
  return is_of_indexed_rows(run, s.host_evidence) && !chooses_by_mask(run, s.host_evidence);
}

bool makes_random_numbers(const JudgedRun& run, const Segment& s) {
  constexpr std::string_view kRandom[] = {
      "aten::normal_",    "aten::uniform_", "aten::random_",     "aten::bernoulli_",
      "aten::bernoulli",  "aten::cauchy_",  "aten::log_normal_", "aten::exponential_",
      "aten::geometric_", "aten::poisson",  "aten::randperm",    "aten::multinomial"};
  if (run.has_device || s.host_evidence == kNone) return false;
  const std::string_view name = run.trace.text(run.trace.host_ranges().name[s.host_evidence]);
  return std::ranges::find(kRandom, name) != std::end(kRandom);
}

// Returns whether an operation on the CPU is one of these:
//   - It makes random numbers, which cost so much a number; it reads no tensor, and no compiler fuses it.
//   - It reads or adds to rows by their index, without gradients or where a mask chooses the rows. With
//     gradients a compiler makes a loop of rows by index that is several times as fast.
//   - It is a whole layer's kernel of PyTorch, checkpointing's (recomputation), or what a compiler made.
bool is_as_good_as_compiled(const JudgedRun& run, const std::vector<bool>& with_gradients,
                            const Segment& s) {
  if (run.has_device || s.host_evidence == kNone) return false;
  if (makes_random_numbers(run, s)) return true;
  const std::string_view name = run.trace.text(run.trace.host_ranges().name[s.host_evidence]);
  constexpr std::string_view kOneKernel[] = {"pool",       "batch_norm", "layer_norm",
                                             "group_norm", "softmax",    "nll_loss"};
  const auto is_in_name = [name](std::string_view part) { return name.find(part) != name.npos; };
  const bool is_trained = s.site != kNone && with_gradients[s.site];
  const bool is_of_fused_rows = is_trained && is_of_rows(run, s);
  return (is_of_indexed_rows(run, s.host_evidence) && !is_of_fused_rows) ||
         name.starts_with("CompiledFunction") || name.starts_with("CheckpointFunction") ||
         std::ranges::any_of(kOneKernel, is_in_name) || name == "aten::gather" ||
         sums_an_embedding(run.trace, s.host_evidence);
}

}  // namespace stepscope::rules
