// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/support/duration.hpp"

namespace stepscope::viewer {
namespace {

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool holds_words(const std::string& text, const std::string& words) {
  const std::string name = lowered(text);
  std::istringstream stream(lowered(words));
  for (std::string word; stream >> word;) {
    if (name.find(word) == std::string::npos) return false;
  }
  return true;
}

// 0: begins with the words as a whole; 1: begins with them; 2: holds them.
int nearness(const PaletteEntry& entry, const std::string& words) {
  const std::string name = lowered(entry.text);
  if (!name.starts_with(words)) return 2;
  const bool whole = name.size() == words.size() ||
                     std::isalnum(static_cast<unsigned char>(name[words.size()])) == 0;
  return whole ? 0 : 1;
}

std::vector<PaletteEntry> all_entries(const Desk& desk) {
  using Kind = PaletteEntry::Kind;
  std::vector<PaletteEntry> out;
  const Session& session = desk.active();
  for (const KeyBinding& binding : key_bindings()) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const PaletteEntry& entry) {
      return entry.index == static_cast<std::size_t>(binding.command);
    });
    if (known || (binding.only_two && desk.sides() < 2)) continue;
    out.push_back(
        {Kind::command, binding.about, binding.text(), static_cast<std::size_t>(binding.command)});
  }
  for (std::size_t i = 0; i < session.lanes().size(); ++i)
    out.push_back({Kind::lane,
                   fmt::format("lane: {} · {}", session.lanes()[i].title, session.lanes()[i].group),
                   "", i});
  if (const auto& findings = session.run().summary.findings) {
    for (std::size_t i = 0; i < findings->found.size(); ++i)
      out.push_back(
          {Kind::finding,
           fmt::format("finding: {}: {}", findings->found[i].id, findings->found[i].title), "", i});
  }
  for (std::size_t i = 0; i < session.marks().size(); ++i)
    out.push_back({Kind::mark, "mark: " + session.marks()[i].text, "", i});
  const std::vector<Step>& steps = session.run().steps.list;
  for (std::size_t i = 0; i < steps.size(); ++i)
    out.push_back({Kind::step,
                   fmt::format("step {}: {}", steps[i].id,
                               format_duration(static_cast<double>(steps[i].wall_ns()))),
                   "", i});
  return out;
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const Desk& desk, const std::string& text,
                                          std::size_t most) {
  std::vector<PaletteEntry> out = all_entries(desk);
  std::erase_if(out, [&](const PaletteEntry& entry) { return !holds_words(entry.text, text); });
  // "step 3" is step 3 before step 30 and what else has these words.
  const std::string begin = lowered(text);
  std::stable_sort(out.begin(), out.end(), [&](const PaletteEntry& a, const PaletteEntry& b) {
    return nearness(a, begin) < nearness(b, begin);
  });
  if (out.size() > most) out.resize(most);
  return out;
}

void run_entry(Desk& desk, const PaletteEntry& entry) {
  desk.palette_shown = false;
  Session& session = desk.active();
  switch (entry.kind) {
    case PaletteEntry::Kind::command:
      return desk.apply(static_cast<Command>(entry.index));
    case PaletteEntry::Kind::lane:
      session.hidden[entry.index] = false;
      session.resting[entry.index] = false;
      session.wanted_lane = static_cast<std::uint32_t>(entry.index);
      return;
    case PaletteEntry::Kind::step:
      return desk.go_to_step(desk.active_side(), static_cast<std::uint32_t>(entry.index));
    case PaletteEntry::Kind::finding:
      return desk.show_finding(entry.index);
    case PaletteEntry::Kind::mark:
      session.go_to(session.marks()[entry.index].time);
      return desk.follow();
  }
}

}  // namespace stepscope::viewer
