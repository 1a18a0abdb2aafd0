// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/usual_lines.hpp"

#include "core/attribution/host/site_counts.hpp"

namespace stepscope {

UsualLines::UsualLines(const Trace& trace, const Threads& threads)
    : trace_(trace), threads_(threads) {
  const Samples& samples = trace.data().samples;
  std::map<Where, SiteCounts> counts;
  for (std::uint32_t row = 0; row < samples.size(); ++row) {
    if (samples.site[row] == kNone) continue;
    const ThreadId thread = samples.thread[row];
    ++counts[where(thread, threads.work(thread).at(samples.time[row]))][samples.site[row]];
  }
  for (const auto& [place, count] : counts) lines_[place] = most_common(count);
}

SiteId UsualLines::of(ThreadId thread, const Piece& silence) const {
  const auto found = lines_.find(where(thread, silence));
  return found == lines_.end() ? kNone : found->second;
}

UsualLines::Where UsualLines::where(ThreadId thread, const Piece& silence) const {
  const HostRanges& h = trace_.host_ranges();
  const auto name_of = [&h](RangeId range) {
    return Place{range == kNone ? kNone : h.name[range], kNone};
  };
  if (const RangeId around = silence.innermost; around != kNone)
    return {thread, {h.name[around], h.site[around]}, name_of(kNone)};
  const HostTimeline& work = threads_.work(thread);
  return {thread, name_of(work.previous_range(silence.time.begin).innermost),
          name_of(work.next_range(silence.time.end).innermost)};
}

}  // namespace stepscope
