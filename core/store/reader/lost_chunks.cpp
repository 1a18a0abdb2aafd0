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
  Known& known = sessions_[chunk.session];
  latest_ = chunk.session;
  known.lacks |= !is_sound || chunk.sequence > known.next;
  known.next = chunk.sequence + 1;
  if (!is_sound || (chunk.first_ns == 0 && chunk.last_ns == 0)) return;
  if (known.lacks)
    lost_.push_back(between({known.first, known.last}, {chunk.first_ns, chunk.last_ns}));
  known.first = chunk.first_ns;
  known.last = std::max(known.last, chunk.last_ns);
  known.lacks = false;
}

IntervalSet LostChunks::stretches(bool is_torn, std::int64_t end) const {
  std::vector<Interval> all = lost_;
  for (const auto& [session, known] : sessions_) {
    const bool lacks = known.lacks || (is_torn && session == latest_);
    if (lacks && known.last < end) all.push_back({known.last, end});
  }
  return unite(std::move(all));
}

}  // namespace stepscope::store
