// SPDX-License-Identifier: Apache-2.0
// The optimisations of a trainer, each a switch: a member of a struct of bools, `Set`. Switches
// stand in the order of the trainer's ladder, and a ladder switches them on in that order. Any
// subset may be chosen by name; a switch brings what it needs along, and takes what needs it away.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::trainers {

template <class Set>
struct Switch {
  const char* id;       // place on the ladder: "R3b"; empty: the switch stands beside the ladder
  const char* name;     // for --with and --without
  const char* summary;  // a line for --help
  bool Set::*on;        // null: the ladder's start, which cannot be switched
  bool Set::*needs = nullptr;
};

template <class Set>
class Switches {
 public:
  using One = Switch<Set>;

  // `noun` is what messages call one of them: "rung", "fix".
  constexpr Switches(const char* noun, std::span<const One> all) : noun_(noun), all_(all) {}

  std::span<const One> all() const { return all_; }

  // Everything on the ladder up to the one of that id or name.
  Result<Set> up_to(std::string_view text) const {
    const One* last = find(text);
    if (last == nullptr) return unknown(text);
    Set set;
    for (const One* one = all_.data(); one <= last; ++one)
      if (*one->id != '\0' || one == last) turn_one(set, *one, true);
    return set;
  }

  // Turns the named ones.
  Status turn(Set& set, const std::vector<std::string>& names, bool on) const {
    for (const std::string& name : names) {
      const One* one = find(name);
      if (one == nullptr) return unknown(name);
      if (one->on == nullptr) return usage_error(name + " is the start, which has no switch");
      turn_one(set, *one, on);
    }
    return Done{};
  }

  // The names of those that are on.
  std::vector<std::string> names_of(const Set& set) const {
    std::vector<std::string> names;
    for (const One& one : all_)
      if (one.on != nullptr && set.*one.on) names.emplace_back(one.name);
    return names;
  }

  // "R4" where exactly everything up to R4 is on; else the names, with commas.
  std::string title_of(const Set& set) const {
    const std::vector<std::string> names = names_of(set);
    for (const One& one : all_)
      if (*one.id != '\0' && names_of(*up_to(one.id)) == names) return one.id;
    std::string title;
    for (const std::string& name : names) title += (title.empty() ? "" : ",") + name;
    return title;
  }

  // The name of what `one` needs; "" where it needs nothing.
  std::string needed_by(const One& one) const {
    for (const One& other : all_)
      if (one.needs != nullptr && other.on == one.needs) return other.name;
    return "";
  }

 private:
  const One* find(std::string_view text) const {
    for (const One& one : all_)
      if (text == one.name || (text == one.id && !text.empty())) return &one;
    return nullptr;
  }

  Error unknown(std::string_view text) const {
    std::string known;
    for (const One& one : all_) {
      known += known.empty() ? "" : ", ";
      if (*one.id != '\0') known += std::string(one.id) + " ";
      known += one.name;
    }
    return usage_error("'" + std::string(text) + "' is no " + noun_ + "; there are: " + known);
  }

  void turn_one(Set& set, const One& one, bool on) const {
    if (one.on == nullptr) return;
    set.*one.on = on;
    for (const One& other : all_) {
      if (other.on == nullptr) continue;
      const bool concerned = on ? other.on == one.needs : other.needs == one.on;
      if (concerned) turn_one(set, other, on);
    }
  }

  const char* noun_;
  std::span<const One> all_;
};

}  // namespace stepscope::trainers
