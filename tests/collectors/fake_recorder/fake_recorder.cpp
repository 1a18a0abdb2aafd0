// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/fake_recorder/fake_recorder.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace stepscope {
namespace {

using fake_recorder::Event;
using fake_recorder::Site;

struct State {
  std::mutex mutex;
  std::vector<std::string> names{""};
  std::map<std::string, recorder::NameId> name_ids{{"", 0}};
  std::vector<Site> sites{{}};
  std::map<std::tuple<recorder::NameId, std::uint32_t, recorder::NameId>, recorder::SiteRef>
      site_ids;
  std::vector<Event> events;
  std::vector<recorder::LoopPosition> loop_positions;
};

State& state() {
  static State& leaked = *new State;
  return leaked;
}

std::atomic<bool> is_recording{true};
std::atomic<std::uint64_t> next_thread{0}, found_count{0}, missed_count{0};

std::uint64_t this_thread() {
  thread_local const std::uint64_t id = next_thread.fetch_add(1);
  return id;
}

void add(Event event) {
  if (!is_recording) return;
  event.thread = this_thread();
  const std::lock_guard lock(state().mutex);
  state().events.push_back(std::move(event));
}

constexpr std::string_view kNumbered = "numbered ";

std::string fake_text(recorder::RangeName name) {
  const std::lock_guard lock(state().mutex);
  if (name.id() >= state().names.size()) return "<bad name id>";
  return state().names[name.id()] + (name.numbers() == 0 ? "" : std::to_string(name.numbers()));
}

}  // namespace

namespace recorder {

bool is_armed() noexcept {
  return is_recording;
}

NameId intern_name(const char* text, std::size_t length) noexcept {
  const std::lock_guard lock(state().mutex);
  const auto [it, is_new] = state().name_ids.try_emplace(std::string(text, length),
                                                         static_cast<NameId>(state().names.size()));
  if (is_new) state().names.push_back(it->first);
  return it->second;
}

SiteRef intern_site(NameId file, std::uint32_t line, NameId function) noexcept {
  Site site{fake_text(file), line, fake_text(function)};
  const std::lock_guard lock(state().mutex);
  const auto [it, is_new] = state().site_ids.try_emplace(
      std::tuple{file, line, function}, static_cast<SiteRef>(state().sites.size()));
  if (is_new) state().sites.push_back(std::move(site));
  return it->second;
}

RangeName range_name(const char* text, std::size_t length) noexcept {
  const std::string whole(text, length);
  if (!whole.starts_with(kNumbered)) return intern_name(text, length);
  return {intern_name(text, kNumbered.size()), std::stoull(whole.substr(kNumbered.size()))};
}

NameId whole_name(RangeName name) noexcept {
  const std::string text = fake_text(name);
  return intern_name(text.data(), text.size());
}

void begin_range(std::uint16_t lane, HostKind kind, RangeName name, NameId category, SiteRef,
                 std::uint32_t) noexcept {
  add({.what = Event::What::begin,
       .lane = lane,
       .name = fake_text(name),
       .category = fake_text(category),
       .kind = kind});
}
void end_range(std::uint16_t lane) noexcept {
  add({.what = Event::What::end, .lane = lane});
}
void begin_call(std::uint16_t, HostKind kind, SiteRef, std::uint32_t, StreamRef,
                std::uint64_t value) noexcept {
  add({.what = Event::What::begin, .lane = kLaneCall, .id = value, .kind = kind});
}

void name_call(std::uint16_t, const char*) noexcept {}

StreamRef intern_stream(std::uint32_t, std::uint32_t, std::uint32_t stream) noexcept {
  return stream + 1;
}

void begin_process_range(std::uint64_t id, RangeName name, NameId category,
                         HostKind kind) noexcept {
  add({.what = Event::What::begin_process,
       .name = fake_text(name),
       .category = fake_text(category),
       .id = id,
       .kind = kind});
}
void end_process_range(std::uint64_t id) noexcept {
  add({.what = Event::What::end_process, .id = id});
}
std::uint32_t open_ranges(std::uint16_t lane) noexcept {
  std::uint32_t depth = 0;
  const std::uint64_t thread = this_thread();
  const std::lock_guard lock(state().mutex);
  for (const Event& event : state().events) {
    if (event.thread != thread || event.lane != lane) continue;
    if (event.what == Event::What::begin) ++depth;
    if (event.what == Event::What::end && depth > 0) --depth;
  }
  return depth;
}
const char* name_text(NameId name) noexcept {
  static std::map<NameId, std::string>& leaked = *new std::map<NameId, std::string>;
  std::string text = fake_text(name);
  const std::lock_guard lock(state().mutex);
  return leaked.try_emplace(name, std::move(text)).first->second.c_str();
}
void collecting(Collector) noexcept {}
void mark(RangeName name, NameId category) noexcept {
  add({.what = Event::What::mark, .name = fake_text(name), .category = fake_text(category)});
}
void collective(std::uint16_t lane, const Message& message) noexcept {
  Event event{.what = Event::What::collective, .lane = lane};
  event.message = message;
  add(event);
}
bool loop_position(const LoopPosition& position) noexcept {
  const std::lock_guard lock(state().mutex);
  state().loop_positions.push_back(position);
  return true;
}
void count_site_lookup(bool found) noexcept {
  ++(found ? found_count : missed_count);
}
void label(LabelKind kind, std::uint64_t id, NameId name) noexcept {
  add({.what = Event::What::label, .name = fake_text(name), .id = id, .label = kind});
}
void fact(const char* key, const char* value) noexcept {
  add({.what = Event::What::fact, .name = std::string(key) + "=" + value});
}
void note(const char* sentence) noexcept {
  add({.what = Event::What::note, .name = sentence});
}

}  // namespace recorder

namespace fake_recorder {

void reset() {
  is_recording = true;
  found_count = missed_count = 0;
  const std::lock_guard lock(state().mutex);
  state().events.clear();
}
void set_recording(bool on) {
  is_recording = on;
}
std::vector<recorder::LoopPosition> take_loop_positions() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().loop_positions, {});
}
std::vector<Event> events() {
  const std::lock_guard lock(state().mutex);
  return state().events;
}
std::string text(recorder::RangeName name) {
  return fake_text(name);
}
Site site(recorder::SiteRef reference) {
  const std::lock_guard lock(state().mutex);
  return reference < state().sites.size() ? state().sites[reference] : Site{"<bad site>", 0, ""};
}
std::uint64_t lookups_found() {
  return found_count;
}
std::uint64_t lookups_missed() {
  return missed_count;
}

std::vector<std::string> story(std::uint64_t thread) {
  static constexpr const char* kWhat[] = {"begin", "end",  "begin_process", "end_process", "mark",
                                          "label", "note", "fact",          "collective"};
  std::vector<std::string> lines;
  for (const Event& event : events()) {
    if (event.thread != thread) continue;
    std::string line = kWhat[static_cast<std::size_t>(event.what)];
    if (!event.name.empty()) line += " " + event.name;
    if (!event.category.empty()) line += " @" + event.category;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace fake_recorder
}  // namespace stepscope
