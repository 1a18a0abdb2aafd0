// SPDX-License-Identifier: Apache-2.0
// A fixed set of names and what each stands for, looked up without allocation: a perfect hash over
// length, first and last letter, proven free of collisions when it is compiled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope::kineto {

template <class Value>
struct NamedValue {
  std::string_view name;
  Value value;
};

template <class Value, std::size_t kNames, std::size_t kSlots>
class NameTable {
 public:
  // Picks the first multiplier under which no two names share a slot; 0 where there is none.
  constexpr explicit NameTable(const std::array<NamedValue<Value>, kNames>& names) {
    for (std::uint32_t m = 1; m < 4096 && multiplier_ == 0; ++m) {
      if (fits(names, m)) multiplier_ = m;
    }
    for (const NamedValue<Value>& name : names) slots_[slot_of(name.name, multiplier_)] = name;
  }

  constexpr bool perfect() const { return multiplier_ != 0; }

  constexpr const Value* find(std::string_view name) const {
    if (name.empty()) return nullptr;
    const NamedValue<Value>& slot = slots_[slot_of(name, multiplier_)];
    return slot.name == name ? &slot.value : nullptr;
  }

 private:
  static constexpr std::size_t slot_of(std::string_view name, std::uint32_t multiplier) {
    const auto letter = [&name](std::size_t i) { return static_cast<unsigned char>(name[i]); };
    const std::uint32_t mixed = static_cast<std::uint32_t>(name.size()) * 131U + letter(0) * 31U +
                                letter(name.size() - 1) * 7U + letter(name.size() / 2) * 3U;
    return (mixed * multiplier >> 3U) % kSlots;
  }

  static constexpr bool fits(const std::array<NamedValue<Value>, kNames>& names,
                             std::uint32_t multiplier) {
    std::array<bool, kSlots> taken{};
    for (const NamedValue<Value>& name : names) {
      bool& slot = taken[slot_of(name.name, multiplier)];
      if (slot) return false;
      slot = true;
    }
    return true;
  }

  std::uint32_t multiplier_ = 0;
  std::array<NamedValue<Value>, kSlots> slots_{};
};

}  // namespace stepscope::kineto
