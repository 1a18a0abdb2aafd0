// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/cause.hpp"

namespace stepscope {
namespace {

struct FamilyWords {
  std::string_view id;
  std::string_view meaning;
};

constexpr std::array<FamilyWords, kCauseFamilies.size()> kFamilyWords = {
    {{"device", "the device computes"},
     {"comm", "communication that nothing hides"},
     {"copy", "copies that nothing hides"},
     {"issued", "device idle, its next work issued"},
     {"cpu", "the CPU computes"},
     {"host", "the device, or the step, waits for the host"},
     {"profiler", "the profiler itself"},
     {"unexplained", "not explained"}}};

const FamilyWords& words_of(CauseFamily family) {
  return kFamilyWords[static_cast<std::size_t>(family)];
}

}  // namespace

std::optional<Cause> cause_named(std::string_view name) {
  for (std::size_t i = 0; i < kCauseCount; ++i)
    if (kCauses[i].id == name) return static_cast<Cause>(i);
  return std::nullopt;
}

std::string_view name_of(CauseFamily family) {
  return words_of(family).id;
}

std::string_view meaning_of(CauseFamily family) {
  return words_of(family).meaning;
}

}  // namespace stepscope
