// SPDX-License-Identifier: Apache-2.0
// Bags: what a stretch of work consists of, order left aside; how much two stretches have in
// common.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "core/steps/activity.hpp"

namespace stepscope {

using Bag = std::map<std::uint32_t, std::uint32_t>;  // count by token

Bag bag_of(std::span<const WorkItem> work);
std::uint64_t size_of(const Bag& bag);
std::uint64_t common(const Bag& a, const Bag& b);
Bag without(Bag a, const Bag& b);
bool take_from(Bag& bag, std::uint32_t token);  // false: it holds none

// 0..1 of the smaller one that the larger one holds: 1 where one is the other with something added
// (a step with an evaluation behind it), lower where each has its own (the two halves of a GAN's
// iteration).
double containment(const Bag& a, const Bag& b);

}  // namespace stepscope
