// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/lost_chunks.hpp"

#include <algorithm>

namespace stepscope::store {
namespace {

Interval between(Interval before, Interval next) {
  if (before.end < next.begin) return {before.end, next.begin};
  return {std::max(before.begin, next.begin), before.end + 1};
}

}  // namespace

void LostChunks::add(const ChunkHeader& chunk, bool is_sound) {
  SessionEnd& state = sessions_[chunk.session];
  latest_ = chunk.session;
  state.lacks |= !is_sound || chunk.sequence > state.next;
  state.next = chunk.sequence + 1;
  if (!is_sound || (chunk.first_ns == 0 && chunk.last_ns == 0)) return;
  if (state.lacks)
    lost_.push_back(between({state.first, state.last}, {chunk.first_ns, chunk.last_ns}));
  state.first = chunk.first_ns;
  state.last = std::max(state.last, chunk.last_ns);
  state.lacks = false;
}

IntervalSet LostChunks::stretches(bool is_torn, std::int64_t end) const {
  std::vector<Interval> all = lost_;
  for (const auto& [session, state] : sessions_) {
    const bool lacks = state.lacks || (is_torn && session == latest_);
    if (lacks && state.last < end) all.push_back({state.last, end});
  }
  return unite(std::move(all));
}

}  // namespace stepscope::store
