// SPDX-License-Identifier: Apache-2.0
#include "core/steps/hand_updates.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace stepscope {
namespace {

// Names without "aten::" and without the underscore at their end, which says that they work in place.
constexpr std::size_t kMostEach = 4;
constexpr std::string_view kForeach = "_foreach_";
constexpr std::string_view kArithmetic[] = {"add",     "sub",  "mul",   "div", "addcmul",
                                            "addcdiv", "lerp", "clamp", "zero"};

bool is_arithmetic_in_place(std::string_view name) {
  constexpr std::string_view kPrefix = "aten::";
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
  explicit Search(const Trace& trace) : trace_(trace), h_(trace.host_ranges()) {
    found_.is_part.resize(h_.size(), false);
    found_.begins.resize(trace.data().threads.size());
  }

  void look_in(Rows rows) {
    std::int64_t until = 0;
    is_behind_ = false;
    stretch_.clear();
    for (RangeId r = rows.begin; r < rows.end; ++r) {
      if (h_.begin[r] < until) {
        count_gradient(r);
        continue;
      }
      if (is_backward(r)) {
        is_behind_ = true;
        stretch_.clear();  // the engine's own work between two nodes
        count_gradient(r);
      } else if (h_.kind[r] == HostKind::op) {
        take(r);
      } else {
        continue;
      }
      until = h_.end[r];
    }
    mark_updates();
  }

  HandUpdates take_found() { return std::move(found_); }

 private:
  bool is_backward(RangeId range) const {
    return h_.kind[range] == HostKind::backward_node ||
           trace_.text(h_.name[range]).starts_with("autograd::engine::evaluate_function");
  }

  void count_gradient(RangeId range) {
    if (h_.kind[range] == HostKind::backward_node &&
        trace_.text(h_.name[range]).ends_with("AccumulateGrad"))
      ++gradients_;
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

  bool is_for_each_gradient(std::string_view name, std::size_t times) const {
    if (gradients_ == 0 || name.find(kForeach) != name.npos) return true;
    const bool is_each = times % gradients_ == 0 && times <= kMostEach * gradients_;
    const bool is_each_of_several_passes =
        times > 1 && gradients_ % times == 0 && gradients_ <= kMostEach * times;
    const bool is_each_but_of_inputs = times > 1 && times < gradients_ && 2 * times > gradients_;
    return is_each || is_each_of_several_passes || is_each_but_of_inputs;
  }

  using Times = std::map<std::pair<SiteId, StringId>, std::size_t>;

  // Where no line does it for each gradient, several lines may, one for each parameter.
  std::set<SiteId> lines_of_updates(const Times& times) const {
    std::set<SiteId> out;
    std::map<StringId, std::size_t> by_name;
    for (const auto& [place, count] : times) {
      by_name[place.second] += count;
      if (is_for_each_gradient(trace_.text(place.second), count)) out.insert(place.first);
    }
    if (!out.empty()) return out;
    for (const auto& [place, count] : times)
      if (is_for_each_gradient(trace_.text(place.second), by_name.at(place.second)))
        out.insert(place.first);
    return out;
  }

  void mark_updates() {
    Times times;
    for (const RangeId op : stretch_)
      if (is_arithmetic_in_place(trace_.text(h_.name[op]))) ++times[{h_.site[op], h_.name[op]}];
    const std::set<SiteId> lines = lines_of_updates(times);
    bool is_first = gradients_ > 0;
    for (const RangeId op : stretch_) {
      if (!lines.contains(h_.site[op])) continue;
      found_.is_part[op] = true;
      if (std::exchange(is_first, false)) found_.begins[h_.thread[op]].push_back(h_.begin[op]);
    }
    stretch_.clear();
    gradients_ = 0;
  }

  const Trace& trace_;
  const HostRanges& h_;
  HandUpdates found_;
  bool is_behind_ = false;        // behind a backward pass
  std::size_t gradients_ = 0;     // summed by that pass
  std::vector<RangeId> stretch_;  // operations behind it that made no node
};

}  // namespace

HandUpdates hand_updates_of(const Trace& trace) {
  const std::vector<bool> has_optimizer = processes_with_optimizer(trace);
  Search search(trace);
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t)
    if (!has_optimizer[trace.data().threads[t].process]) search.look_in(trace.ranges_of(t));
  return search.take_found();
}

}  // namespace stepscope
