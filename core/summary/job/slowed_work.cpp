// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/slowed_work.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

constexpr double kMostTimesAsLong = 2;
constexpr double kShareThatIsFaster = 0.1;

// The same work of a rank and of the one that it waits for, in one step.
struct SameWork {
  std::uint32_t owner = 0;
  double own = 0;
  double late = 0;
  double beside = 0;  // the part of `own` beside a wait

  double times_as_long() const { return late / own; }
};

// Returns only work on the device.
std::vector<SameWork> same_work(std::uint32_t rank, std::uint32_t late,
                                const WorkBesideWaits& beside, const Owners& owners,
                                const std::vector<StepSums>& sums) {
  std::vector<SameWork> out;
  for (auto own = sums[rank].lower_bound({rank, 0});
       own != sums[rank].end() && own->first.first == rank; ++own) {
    const std::uint32_t owner = own->first.second;
    const auto other = sums[late].find({late, owner});
    if (!is_device_compute(owners[owner].cause) || other == sums[late].end()) continue;
    const auto at = beside.find({late, owner});
    const SameWork work{owner, static_cast<double>(own->second), static_cast<double>(other->second),
                        at == beside.end() ? 0 : static_cast<double>(at->second)};
    if (work.own <= kMostTimesAsLong * work.late && work.late <= kMostTimesAsLong * work.own)
      out.push_back(work);
  }
  return out;
}

// How many times as long the late rank takes for nine tenths of what lies beside no wait, at least.
double slowness(std::vector<SameWork> work) {
  std::erase_if(work, [](const SameWork& w) { return w.beside > 0; });
  std::sort(work.begin(), work.end(), [](const SameWork& a, const SameWork& b) {
    return a.times_as_long() < b.times_as_long();
  });
  double left = 0;
  for (const SameWork& w : work) left += kShareThatIsFaster * w.own;
  for (const SameWork& w : work)
    if ((left -= w.own) < 0) return std::max(1.0, w.times_as_long());
  return 1;
}

// By owner: how much longer `rank` worked beside its waits for `late`.
std::map<std::uint32_t, std::int64_t> slowed_by(const std::vector<SameWork>& work) {
  std::map<std::uint32_t, std::int64_t> out;
  const double slow = slowness(work);
  for (const SameWork& w : work) {
    const double longer = std::min(w.beside, w.own - w.late / slow);
    if (longer > 0) out[w.owner] = std::llround(longer);
  }
  return out;
}

std::set<std::uint32_t> waited_for(const WorkBesideWaits& beside) {
  std::set<std::uint32_t> out;
  for (const auto& [key, ns] : beside) out.insert(key.first);
  return out;
}

// Charges `ns` to the ranks and owners to which the waits of `rank` in this step are. Returns what it charged.
std::int64_t charge(std::uint32_t rank, std::uint32_t owner, std::int64_t ns,
                    const StepSums& before, StepSums& out) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys;
  std::vector<double> weights;
  for (const auto& [key, waited] : before) {
    if (key.first == rank) continue;
    keys.push_back(key);
    weights.push_back(static_cast<double>(waited));
  }
  ns = std::min(ns, out[{rank, owner}]);  // another late rank may have been charged already
  if (keys.empty() || ns <= 0) return 0;
  const std::vector<std::int64_t> parts = largest_remainder(ns, weights);
  for (std::size_t i = 0; i < keys.size(); ++i) out[keys[i]] += parts[i];
  out[{rank, owner}] -= ns;
  return ns;
}

}  // namespace

double Slowed::times_as_long() const {
  constexpr double kLeastAlone = 0.1;
  const auto all = static_cast<double>(beside);
  return beside == 0 ? 1 : all / std::max(kLeastAlone * all, all - static_cast<double>(longer));
}

void charge_slowed_work(const std::vector<WorkBesideWaits>& beside, const Owners& owners,
                        std::vector<StepSums>& sums, SlowedWork& slowed) {
  if (std::all_of(beside.begin(), beside.end(), [](const auto& b) { return b.empty(); })) return;
  const std::vector<StepSums> before = sums;
  for (std::uint32_t rank = 0; rank < sums.size(); ++rank) {
    for (const auto& [key, ns] : beside[rank]) slowed[{rank, key.second}].beside += ns;
    for (const std::uint32_t late : waited_for(beside[rank]))
      for (const auto& [owner, ns] : slowed_by(same_work(rank, late, beside[rank], owners, before)))
        slowed[{rank, owner}].longer += charge(rank, owner, ns, before[rank], sums[rank]);
  }
}

}  // namespace stepscope::job
