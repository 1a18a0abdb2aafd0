// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/call_sites.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/model/row_order.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kFrame = "autograd::engine::evaluate_function";
constexpr char kNotLookedAt = 2;

}  // namespace

// Parents stand before their children, so one pass in row order hands the lines down.
CallSites::CallSites(const Trace& trace, const Threads& threads)
    : trace_(trace),
      threads_(threads),
      enclosing_(enclosing_ranges(trace.host_ranges())),
      forward_(std::in_place, trace) {
  std::vector<bool> counts;  // a recorded call site, or a function of user code
  for (const Site& site : trace.data().sites) {
    is_users_.push_back(is_user_file(trace.text(site.file)));
    counts.push_back(site.kind == SiteKind::call || is_users_.back());
  }
  find_plain(counts);
  find_passes();
  find_frames();
  find_recomputed();
  const std::vector<bool> forward = sites_of_forward_passes();
  const HostRanges& h = trace.host_ranges();
  nearest_.resize(h.size());
  for (RangeId r = 0; r < h.size(); ++r) {
    nearest_[r] = passes_[r].node == kNone ? line_in_frame(r) : line_in_pass(r, forward);
  }
  keep_makers();
  forward_.reset();  // traces of 100 million ranges are read
  plain_ = {};
  enclosing_ = {};
  framed_ = {};
  recomputed_ = {};
}

// Whether it is at a line of a package that the pass's caller is not at: on autograd's own threads, what a
// built-in node issues by itself has no line.
bool CallSites::runs_package(RangeId range) const {
  const SiteId own = trace_.host_ranges().site[range];
  return own != kNone && !is_users_[own] && own != passes_[range].caller;
}

// Gradients are computed without making nodes, unless second ones are wanted: those operations have no
// number, since the node runs no Python. Calls have one where nodes were made before them.
void CallSites::find_recomputed() {
  const HostRanges& h = trace_.host_ranges();
  recomputed_.assign(h.size(), false);
  std::vector<bool> runs_again(h.size(), false);  // a node
  RangeId before = kNone;                         // the numbered operation before, in whatever node
  for (RangeId r = 0; r < h.size(); ++r) {
    const RangeId node = passes_[r].node;
    if (node == kNone || h.sequence[r] == kNoSequence) continue;
    if (family_of(h.kind[r]) == HostFamily::api && runs_package(r)) runs_again[node] = true;
    if (h.kind[r] != HostKind::op || (h.site[r] != passes_[r].caller && !runs_package(r))) continue;
    const bool same_node = before != kNone && passes_[before].node == node;
    if (same_node && h.sequence[r] > h.sequence[before])
      recomputed_[before] = recomputed_[r] = true;
    before = r;
  }
  for (RangeId r = 0; r < h.size(); ++r) {
    const bool is_call = family_of(h.kind[r]) == HostFamily::api;
    if (is_call && passes_[r].node != kNone && runs_again[passes_[r].node] && runs_package(r))
      recomputed_[r] = true;
  }
}

void CallSites::find_plain(const std::vector<bool>& counts) {
  const HostRanges& h = trace_.host_ranges();
  plain_.resize(h.size(), kNone);
  for (RangeId r = 0; r < h.size(); ++r) {
    const RangeId outer = enclosing_[r];
    const bool own = h.site[r] != kNone && counts[h.site[r]];
    plain_[r] = own ? h.site[r] : outer == kNone ? kNone : plain_[outer];
  }
}

void CallSites::find_passes() {
  const HostRanges& h = trace_.host_ranges();
  passes_.resize(h.size());
  for (RangeId r = 0; r < h.size(); ++r) {
    const RangeId outer = enclosing_[r];
    if (outer != kNone) passes_[r] = passes_[outer];
    if (h.kind[r] != HostKind::backward_node) continue;
    const bool outermost = passes_[r].node == kNone;
    passes_[r].node = r;
    if (outermost) passes_[r].caller = plain_[r];
  }
}

// Recorders that keep the frame as an op keep the node inside it. It stands behind its frame, so a
// frame's node is known only when all rows were seen.
void CallSites::find_frames() {
  const HostRanges& h = trace_.host_ranges();
  std::vector<char> is_frame(trace_.data().strings.size(), kNotLookedAt);
  std::vector<RangeId> frames(h.size(), kNone);
  framed_.assign(h.size(), kNone);
  for (RangeId r = 0; r < h.size(); ++r) {
    const RangeId outer = enclosing_[r];
    if (outer != kNone) frames[r] = frames[outer];
    if (h.kind[r] == HostKind::op) {
      char& known = is_frame[h.name[r]];
      if (known == kNotLookedAt) known = trace_.text(h.name[r]).starts_with(kFrame) ? 1 : 0;
      if (known == 1) frames[r] = r;
    } else if (h.kind[r] == HostKind::backward_node && frames[r] != kNone &&
               framed_[frames[r]] == kNone) {
      framed_[frames[r]] = r;
    }
  }
  for (RangeId r = 0; r < h.size(); ++r)
    if (frames[r] != kNone) framed_[r] = framed_[frames[r]];
}

void CallSites::keep_makers() {
  const HostRanges& h = trace_.host_ranges();
  for (RangeId r = 0; r < h.size(); ++r) {
    const bool is_node = h.kind[r] == HostKind::backward_node;
    const bool opens_frame = framed_[r] != kNone && framed_[r] > r &&
                             (enclosing_[r] == kNone || framed_[enclosing_[r]] != framed_[r]);
    if (!is_node && !opens_frame) continue;
    const RangeId maker = forward_->of(is_node ? r : framed_[r]);
    if (maker != kNone) makers_.emplace_back(r, maker);
  }
}

RangeId CallSites::made_in(RangeId range) const {
  const auto at = std::lower_bound(makers_.begin(), makers_.end(), std::pair(range, RangeId{0}));
  return at != makers_.end() && at->first == range ? at->second : kNone;
}

// Returns which lines run outside of nodes, and also make a graph within them if they run there. PyTorch
// numbers operations and launches wherever it makes a node; where it numbers none, all of them may.
std::vector<bool> CallSites::sites_of_forward_passes() const {
  const HostRanges& h = trace_.host_ranges();
  const std::size_t sites = trace_.data().sites.size();
  std::vector<bool> outside(sites, false), numbered(sites, false);
  bool any_number = false;
  for (RangeId r = 0; r < h.size(); ++r) {
    const bool has_number = h.sequence[r] != kNoSequence && h.kind[r] != HostKind::backward_node;
    any_number |= has_number;
    if (h.site[r] == kNone) continue;
    if (passes_[r].node == kNone) outside[h.site[r]] = true;
    if (passes_[r].node != kNone && has_number) numbered[h.site[r]] = true;
  }
  for (std::size_t site = 0; site < sites && any_number; ++site)
    outside[site] = outside[site] && numbered[site];
  return outside;
}

// A line that a range inside a node has and the pass's caller has not: Python that the node runs.
CodeLine CallSites::line_in_pass(RangeId range, const std::vector<bool>& forward) const {
  const HostRanges& h = trace_.host_ranges();
  if (h.kind[range] == HostKind::backward_node) return line_of_node(range);
  const SiteId own = h.site[range];
  if (own != kNone && is_users_[own] && own != passes_[range].caller)
    return {own, forward[own] ? Direction::recompute : Direction::backward};
  if (recomputed_[range]) {
    const CodeLine made = line_of_node(passes_[range].node);
    if (made.site != kNone) return {made.site, Direction::recompute};
  }
  const CodeLine around = nearest_[enclosing_[range]];
  const bool of_package = own != kNone && own == plain_[range] && own != passes_[range].caller;
  return around.site == kNone && of_package ? CodeLine{own, Direction::backward} : around;
}

CodeLine CallSites::line_in_frame(RangeId range) const {
  const RangeId node = framed_[range];
  const RangeId made_in = node == kNone ? kNone : forward_->of(node);
  if (made_in != kNone && plain_[made_in] != kNone) return {plain_[made_in], Direction::backward};
  return {plain_[range], Direction::none};
}

// Returns the line of the innermost node's forward, where nodes are nested (a backward pass inside
// a node).
CodeLine CallSites::line_of_node(RangeId node) const {
  const RangeId made_in = forward_->of(node);
  if (made_in != kNone && plain_[made_in] != kNone) return {plain_[made_in], Direction::backward};
  const RangeId outer = enclosing_[node];
  if (outer != kNone && passes_[outer].node != kNone) return nearest_[outer];
  return {passes_[node].caller, Direction::none};
}

// Returns the line at which the sampler saw the loop's thread last before `time` in that silence,
// or first in it.
SiteId CallSites::sampled(Interval silence, std::int64_t time) const {
  const Samples& samples = trace_.data().samples;
  const ThreadId loop = threads_.loop();
  std::uint32_t row = kNone;
  for (std::uint32_t at = first_sample(silence.begin); at < samples.size(); ++at) {
    const bool in_silence = samples.thread[at] == loop && samples.time[at] < silence.end;
    if (!in_silence || (samples.time[at] > time && row != kNone)) break;
    row = at;
  }
  return row == kNone ? kNone : samples.site[row];
}

// The loop's thread's first sample at or behind `time`. Samples lie by thread, then by time.
std::uint32_t CallSites::first_sample(std::int64_t time) const {
  const Samples& samples = trace_.data().samples;
  std::uint32_t begin = 0;
  auto end = static_cast<std::uint32_t>(samples.size());
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (std::pair(samples.thread[middle], samples.time[middle]) < std::pair(threads_.loop(), time))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

CodeLine CallSites::callers_line(std::int64_t time) const {
  const Piece now = threads_.work(threads_.loop()).at(time);
  if (now.innermost != kNone && nearest_[now.innermost].site != kNone)
    return nearest_[now.innermost];
  const SiteId seen = sampled(now.time, time);
  if (seen != kNone) return {seen, Direction::none};
  const RangeId last = threads_.calls(threads_.loop()).previous_range(time).innermost;
  return last == kNone ? CodeLine{} : nearest_[last];
}

// Returns what a node runs again next, behind this time; kNone where it goes on with gradients.
RangeId CallSites::runs_again_next(RangeId node, std::int64_t time) const {
  const HostRanges& h = trace_.host_ranges();
  const Rows rows = trace_.ranges_of(h.thread[node]);
  const auto at = std::upper_bound(h.begin.begin() + rows.begin, h.begin.begin() + rows.end, time);
  const auto next = static_cast<RangeId>(at - h.begin.begin());
  if (next == rows.end || h.begin[next] >= h.end[node] || passes_[next].node != node) return kNone;
  return nearest_[next].direction == Direction::recompute ? next : kNone;
}

CodeLine CallSites::at(ThreadId thread, std::int64_t time, RangeId innermost) const {
  const CodeLine own = innermost == kNone ? CodeLine{} : nearest_[innermost];
  if (innermost != kNone && trace_.host_ranges().kind[innermost] == HostKind::backward_node) {
    const RangeId next = runs_again_next(innermost, time);
    if (next != kNone) return nearest_[next];
  }
  if (own.site != kNone) return own;
  if (threads_.is_worker(thread)) return callers_line(time);
  if (innermost != kNone) return own;
  // The engine, on its way to the next node of a pass that the thread runs by itself.
  const HostTimeline& calls = threads_.calls(thread);
  const RangeId before = calls.previous_range(time).innermost;
  const RangeId after = calls.next_range(time).innermost;
  if (before == kNone || after == kNone) return own;
  const bool in_one_pass = passes_[before].node != kNone && passes_[after].node != kNone &&
                           passes_[before].caller == passes_[after].caller;
  return in_one_pass ? CodeLine{passes_[after].caller, Direction::none} : own;
}

}  // namespace stepscope
