// SPDX-License-Identifier: Apache-2.0
// A recorder that only keeps the events that it is given: the hooks' tests link it in place of the real
// one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::fake_recorder {

struct Event {
  enum class What : std::uint8_t {
    begin,
    end,
    begin_process,
    end_process,
    mark,
    label,
    note,
    fact,
    collective
  };
  What what;
  std::uint64_t thread = 0;  // order of first appearance: 0, 1, ...
  std::uint16_t lane = 0;
  std::string name;
  std::string category;
  std::uint64_t id = 0;  // process range or label
  recorder::LabelKind label = recorder::LabelKind::thread;
  HostKind kind = HostKind::other;
  recorder::Message message{};
};

struct Site {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
};

void reset();  // forgets events and counts, not names; recording is on
void set_recording(bool on);
std::vector<Event> events();
std::vector<recorder::LoopPosition> take_loop_positions();  // since the last call
// Names of ranges of the form "numbered N" have their number beside.
std::string text(recorder::RangeName name);
Site site(recorder::SiteRef reference);
std::uint64_t lookups_found();
std::uint64_t lookups_missed();

// "begin step 1 @stepscope", "end", "mark x", ... of one thread in order: what tests compare.
std::vector<std::string> story(std::uint64_t thread = 0);

}  // namespace stepscope::fake_recorder
