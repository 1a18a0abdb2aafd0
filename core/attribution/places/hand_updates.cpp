// SPDX-License-Identifier: Apache-2.0
// The operations with which a program updates its parameters without an optimizer of PyTorch, such as
// `p -= lr * p.grad`.
//
//   looked for in   processes without an Optimizer.step scope
//   where           behind a backward pass of the thread, up to the next operation that makes a node
//   what            arithmetic in place, and the other operations there at the lines that do it
//
// An operation makes nodes if the thread's count of them is higher at the next operation. Where no
// counts are known, nothing is found; nor is an update that makes new tensors (`w = w - lr * g`),
// which looks like any other arithmetic.
#include "core/attribution/places/optimizer_work.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "core/attribution/places/phase_names.hpp"

namespace stepscope {
namespace {

// Names without "aten::" and without the underscore at their end, which says that they work in place.
constexpr std::string_view kArithmetic[] = {"add",     "sub",  "mul",   "div", "addcmul",
                                            "addcdiv", "lerp", "clamp", "zero"};

bool is_arithmetic_in_place(std::string_view name) {
  constexpr std::string_view kPrefix = "aten::", kForeach = "_foreach_";
  if (!name.starts_with(kPrefix) || !name.ends_with('_')) return false;
  name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - 1);
  if (name.starts_with(kForeach)) return true;
  return std::find(std::begin(kArithmetic), std::end(kArithmetic), name) != std::end(kArithmetic);
}

std::vector<bool> processes_with_optimizer(const Trace& trace) {
  const HostRanges& h = trace.host_ranges();
  std::vector<bool> out(trace.data().processes.size(), false);
  for (RangeId r = 0; r < h.size(); ++r)
    if (family_of(h.kind[r]) == HostFamily::annotation &&
        trace.text(h.name[r]).starts_with("Optimizer.step"))
      out[trace.data().threads[h.thread[r]].process] = true;
  return out;
}

class Search {
 public:
  explicit Search(const Trace& trace)
      : trace_(trace), h_(trace.host_ranges()), found_(h_.size(), false) {}

  void look_in(Rows rows) {
    std::int64_t until = 0;
    is_behind_ = false;
    stretch_.clear();
    for (RangeId r = rows.begin; r < rows.end; ++r) {
      if (h_.begin[r] < until) continue;
      if (is_backward(r)) {
        is_behind_ = true;
        stretch_.clear();  // the engine's own work between two nodes
      } else if (h_.kind[r] == HostKind::op) {
        take(r);
      } else {
        continue;
      }
      until = h_.end[r];
    }
    mark_updates();
  }

  std::vector<bool> take_found() { return std::move(found_); }

 private:
  bool is_backward(RangeId range) const {
    return h_.kind[range] == HostKind::backward_node ||
           torch_mark(trace_.text(h_.name[range])) == "backward";
  }

  void take(RangeId op) {
    if (!is_behind_ || h_.sequence[op] == kNoSequence) return;
    if (!stretch_.empty() && h_.sequence[op] != h_.sequence[stretch_.back()]) {
      stretch_.pop_back();  // it made nodes: the next forward pass has begun
      mark_updates();
      is_behind_ = false;
      return;
    }
    stretch_.push_back(op);
  }

  void mark_updates() {
    std::set<SiteId> lines;
    for (const RangeId op : stretch_)
      if (is_arithmetic_in_place(trace_.text(h_.name[op]))) lines.insert(h_.site[op]);
    for (const RangeId op : stretch_) found_[op] = lines.contains(h_.site[op]);
    stretch_.clear();
  }

  const Trace& trace_;
  const HostRanges& h_;
  std::vector<bool> found_;
  bool is_behind_ = false;        // behind a backward pass
  std::vector<RangeId> stretch_;  // operations behind it that made no node
};

}  // namespace

std::vector<bool> hand_updates_of(const Trace& trace) {
  const std::vector<bool> has_optimizer = processes_with_optimizer(trace);
  Search search(trace);
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t)
    if (!has_optimizer[trace.data().threads[t].process]) search.look_in(trace.ranges_of(t));
  return search.take_found();
}

}  // namespace stepscope
