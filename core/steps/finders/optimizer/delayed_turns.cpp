// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer/delayed_turns.hpp"

#include <algorithm>

#include "core/steps/capture_gaps.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kUsualDelay = 2;
constexpr double kMost = 0.8;

// A cycle as the run's first turns show it: `lead` turns of one kind, then `rest` of others.
struct Beat {
  std::size_t lead = 0, rest = 0;
  std::size_t phase = 0;  // the first turn's place in it

  std::size_t place_of(std::size_t turn) const { return (turn + phase) % (lead + rest); }
  bool is_lead(std::size_t turn) const { return place_of(turn) < lead; }
};

// The first turn's kind is not asked for: it may hold the program's start. Where two blocks could
// lead, the one that the run begins in does. Empty: no such cycle.
Beat beat_of(const std::vector<std::size_t>& kinds, std::size_t cycle) {
  const std::size_t first = kinds.size() - cycle;
  Beat best;
  for (std::size_t begin = 0; begin < cycle; ++begin) {
    const auto kind = [&](std::size_t place) { return kinds[first + (begin + place) % cycle]; };
    Beat beat;
    while (beat.lead < cycle && kind(beat.lead) == kind(0)) ++beat.lead;
    beat.rest = cycle - beat.lead;
    beat.phase = (cycle - (first + 1 + begin) % cycle) % cycle;
    bool apart = beat.lead >= 2 && beat.rest > 0;
    for (std::size_t place = beat.lead; place < cycle; ++place) apart &= kind(place) != kind(0);
    if (apart && (best.lead == 0 || beat.is_lead(0))) best = beat;
  }
  return best;
}

class Inputs {
 public:
  Inputs(const Activity& activity, const std::vector<RangeId>& fetches)
      : activity_(activity), fetches_(fetches) {
    is_copy_.resize(activity.trace->data().strings.size());
    for (StringId name = 0; name < is_copy_.size(); ++name)
      is_copy_[name] = activity.trace->text(name).find("HtoD") != std::string_view::npos;
  }

  // Whether the turn has one in front of its optimizer, which may copy a step size.
  bool has(const Turn& turn) const {
    const Interval before{turn.stretch.begin, turn.scope.begin};
    if (!fetches_.empty()) {
      return std::any_of(fetches_.begin(), fetches_.end(), [&](RangeId fetch) {
        return before.contains(activity_.time(fetch).begin);
      });
    }
    const auto work = activity_.work_in(before);
    return std::any_of(work.begin(), work.end(),
                       [this](const WorkItem& item) { return is_copy_[item.token]; });
  }

 private:
  const Activity& activity_;
  const std::vector<RangeId>& fetches_;
  std::vector<bool> is_copy_;
};

bool are_most(std::size_t part, std::size_t all) {
  return all > 0 && static_cast<double>(part) >= kMost * static_cast<double>(all);
}

// Only the first of the leading turns has input of its own. The run's first turn is left aside.
bool shares_a_batch(const Inputs& inputs, const std::vector<Turn>& turns, const Beat& beat) {
  std::size_t firsts = 0, with_input = 0, later = 0, without = 0;
  for (std::size_t i = 1; i < turns.size(); ++i) {
    if (!beat.is_lead(i)) continue;
    const bool is_first = beat.place_of(i) == 0;
    const bool has = inputs.has(turns[i]);
    ++(is_first ? firsts : later);
    with_input += is_first && has ? 1U : 0U;
    without += !is_first && !has ? 1U : 0U;
  }
  return are_most(with_input, firsts) && are_most(without, later);
}

// The run does not consist of whole cycles.
bool is_off_the_beat(const Activity& activity, const Beat& beat, std::size_t turns) {
  const std::size_t begin = beat.place_of(0), end = beat.place_of(turns);
  const bool whole = begin == end && (begin == 0 || begin == beat.lead);
  return !whole && capture_gaps(*activity.trace, activity.process).empty();
}

}  // namespace

bool next_has_own_batch(const Activity& activity, const std::vector<Turn>& turns,
                        const std::vector<bool>& shared, const std::vector<RangeId>& fetches) {
  const Inputs inputs(activity, fetches);
  std::size_t pairs = 0, with_input = 0;
  for (std::size_t i = 1; i + 1 < turns.size(); ++i) {
    pairs += shared[i] ? 1U : 0U;
    with_input += shared[i] && inputs.has(turns[i + 1]) ? 1U : 0U;
  }
  return are_most(with_input, pairs);
}

std::vector<bool> delayed_turns(const Activity& activity, const std::vector<Turn>& turns,
                                std::size_t cycle, const std::vector<RangeId>& fetches) {
  if (cycle < 3 || turns.size() <= cycle + 1) return {};
  const std::vector<std::size_t> kinds = kinds_of(activity, {turns.begin() + 1, turns.end()});
  const Beat beat = beat_of(kinds, cycle);
  if (beat.lead == 0) return {};
  const bool delayed = beat.lead == kUsualDelay || is_off_the_beat(activity, beat, turns.size());
  if (!delayed || shares_a_batch(Inputs(activity, fetches), turns, beat)) return {};
  const bool rest_first = beat.phase == beat.lead;
  std::vector<bool> shared(turns.size(), false);
  for (std::size_t i = 0; i + 1 < turns.size(); ++i)
    shared[i] = !beat.is_lead(rest_first ? i : i + 1);
  return shared;
}

}  // namespace stepscope
