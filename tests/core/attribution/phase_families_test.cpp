// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/phase_families.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

constexpr int kSteps = 12;

// The phases of steps of 100 ns, each with those ranges one after the other.
std::set<std::string> phases(const std::function<std::vector<std::string>(int)>& names) {
  TraceMaker make;
  Steps steps;
  for (int k = 0; k < kSteps; ++k) {
    std::int64_t now = 100 * k;
    steps.list.push_back({.id = k, .host = {now, now + 100}, .window = {now, now + 100}});
    for (const std::string& name : names(k)) {
      make.range(HostKind::user_scope, name, 1, now, now + 5);
      now += 5;
    }
  }
  const Trace trace = make.build();
  const PhaseFamilies families(trace, steps);
  std::set<std::string> out;
  for (const StringId name : trace.host_ranges().name) out.insert(families.name_of(name));
  return out;
}

using Names = std::vector<std::string>;

TEST(PhaseFamilies, NamesThatHoldTheBatchSizeAreOnePhase) {
  const auto serving = [](int k) {
    const std::string size = std::to_string(32 - k / 2);
    return Names{"execute_context_0(0)_generation_" + size + "(" + size + ")", "sample"};
  };
  EXPECT_EQ(phases(serving),
            (std::set<std::string>{"execute_context_0(0)_generation_#(#)", "sample"}));
}

TEST(PhaseFamilies, IdsAreNumbers) {
  const auto serving = [](int k) {
    const std::string n = std::to_string(k % 10), m = std::to_string((7 * k + 3) % 10);
    return Names{"request 1e" + n + "febbf-c1" + m + "f-343c-9027-c4d1c386bb" + n + m,
                 "req-c2cd7" + n + m + "a done", "stage at 0x7f" + n + "bdc" + m,
                 k % 2 == 0 ? "decade" : "facade"};
  };
  EXPECT_EQ(phases(serving),
            (std::set<std::string>{"request #", "req-# done", "stage at #", "decade", "facade"}));
}

TEST(PhaseFamilies, WordsTellPhasesApart) {
  const auto serving = [](int k) {
    return Names{(k % 3 == 0 ? "prefill bs=" : "decode bs=") + std::to_string(k)};
  };
  EXPECT_EQ(phases(serving), (std::set<std::string>{"prefill bs=#", "decode bs=#"}));
}

TEST(PhaseFamilies, LayersThatEachStepRunsStayApart) {
  const auto layers = [](int) { return Names{"layer 0", "layer 1", "layer 2"}; };
  EXPECT_EQ(phases(layers), (std::set<std::string>{"layer 0", "layer 1", "layer 2"}));
}

TEST(PhaseFamilies, ANumberThatNeverChangesStays) {
  EXPECT_EQ(phases([](int) { return Names{"conv2d"}; }), (std::set<std::string>{"conv2d"}));
}

}  // namespace
}  // namespace stepscope
