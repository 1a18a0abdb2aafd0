// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/usual_lines.hpp"

#include <algorithm>

#include "core/attribution/places/phase_names.hpp"

namespace stepscope {
namespace {

// In one pool: a place at which modules are imported sees thousands.
constexpr std::size_t kMostLines = 64;
// So many looks give a line's share to some 17 points.
constexpr std::uint32_t kManyLooks = 8;

std::size_t index_of(SilencePart side, ThreadState state) {
  return static_cast<std::size_t>(side) * kThreadStates + static_cast<std::size_t>(state);
}

// Returns the states in the order in which they are looked for: lines of the other state serve
// where there are none of this one.
std::array<ThreadState, kThreadStates> likely_first(ThreadState state) {
  if (state == ThreadState::asleep) return {ThreadState::asleep, ThreadState::awake};
  return {ThreadState::awake, ThreadState::asleep};
}

}  // namespace

UsualLines::Name UsualLines::name_of(RangeId range, bool with_site) const {
  const HostRanges& h = trace_.host_ranges();
  if (range == kNone) return {kNone, kNone};
  return {h.name[range], with_site ? h.site[range] : kNone};
}

std::uint32_t UsualLines::id_of(const Key& key) {
  const auto [at, is_new] = ids_.try_emplace(key, static_cast<std::uint32_t>(pools_.size()));
  if (is_new) pools_.emplace_back(), looks_.push_back(0);
  return at->second;
}

UsualLines::Place UsualLines::place(ThreadId thread, std::size_t piece) {
  const HostTimeline& work = threads_.work(thread);
  const RangeId around = work.piece(piece).innermost;
  const RangeId before = piece == 0 ? kNone : work.piece(piece - 1).innermost;
  const RangeId after = piece + 1 == work.size() ? kNone : work.piece(piece + 1).innermost;
  const bool is_open = around == kNone;
  const auto is_node = [this](RangeId range) {
    return range != kNone &&
           torch_mark(trace_.text(trace_.host_ranges().name[range])) == "backward";
  };
  return {id_of({thread, name_of(around, true), name_of(before, true), name_of(after, true)}),
          id_of({thread, name_of(around, true), name_of(is_open ? before : kNone, false),
                 name_of(is_open ? after : kNone, false)}),
          is_node(before) && is_node(after)};
}

bool UsualLines::is_well_known(Place place) const {
  return looks_[place.exact] >= kManyLooks && !place.between_nodes;
}

bool UsualLines::are_same(std::uint32_t row, std::uint32_t other) const {
  const Samples& s = trace_.data().samples;
  return s.site[row] == s.site[other] && s.called[row] == s.called[other] &&
         s.innermost[row] == s.innermost[other] && s.asleep_in[row] == s.asleep_in[other] &&
         ((s.flags[row] ^ s.flags[other]) & (kSampleCollecting | kSampleInLoader)) == 0;
}

void UsualLines::add_to(Pool& pool, std::uint32_t row, double weight) {
  const auto line = std::find_if(pool.lines.begin(), pool.lines.end(),
                                 [&](const Line& l) { return are_same(l.row, row); });
  if (line != pool.lines.end()) {
    line->weight += weight;
  } else if (pool.lines.size() < kMostLines) {
    pool.lines.push_back({row, weight, 0});
  } else {
    return;
  }
  pool.weight += weight;
}

void UsualLines::count_look(Place place) {
  ++looks_[place.exact];
}

void UsualLines::add(Place place, SilencePart side, ThreadState state, std::uint32_t row,
                     double weight) {
  for (const std::uint32_t id : {place.exact, place.wide}) {
    add_to(pools_[id][index_of(SilencePart::whole, state)], row, weight);
    if (side != SilencePart::whole) add_to(pools_[id][index_of(side, state)], row, weight);
  }
}

const UsualLines::Pools* UsualLines::pools_of(Place place, SilencePart side) const {
  for (const std::uint32_t id : {place.exact, place.wide}) {
    for (const ThreadState state : {ThreadState::awake, ThreadState::asleep})
      if (!pools_[id][index_of(side, state)].lines.empty()) return &pools_[id];
  }
  return nullptr;
}

std::array<double, kThreadStates> UsualLines::times(Place place, SilencePart side) const {
  std::array<double, kThreadStates> out{};
  const Pools* pools = pools_of(place, side);
  for (std::size_t i = 0; i < kThreadStates && pools != nullptr; ++i)
    out[i] = (*pools)[index_of(side, static_cast<ThreadState>(i))].weight;
  return out;
}

// The one that has got least of its share so far.
std::uint32_t UsualLines::take(Pool& pool, double ns) {
  pool.asked += ns;
  const auto owed = [&pool](const Line& line) {
    return line.weight / pool.weight * pool.asked - line.given;
  };
  const auto line =
      std::max_element(pool.lines.begin(), pool.lines.end(),
                       [&](const Line& a, const Line& b) { return owed(a) < owed(b); });
  line->given += ns;
  return line->row;
}

UsualLines::SampledLine UsualLines::next_line_of(std::uint32_t place, SilencePart side,
                                                 ThreadState state, std::int64_t ns) {
  for (const SilencePart where : {side, SilencePart::whole}) {
    for (const ThreadState seen : likely_first(state)) {
      Pool& pool = pools_[place][index_of(where, seen)];
      if (!pool.lines.empty()) return {take(pool, static_cast<double>(ns)), seen};
    }
  }
  return {kNone, state};
}

UsualLines::SampledLine UsualLines::next_line(Place place, SilencePart side, ThreadState state,
                                              std::int64_t ns) {
  const SampledLine line = next_line_of(place.exact, side, state, ns);
  return line.row != kNone ? line : next_line_of(place.wide, side, state, ns);
}

}  // namespace stepscope
