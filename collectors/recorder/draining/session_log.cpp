// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/session_log.hpp"

#include <cstdlib>
#include <iterator>
#include <string>

#include "collectors/recorder/live_files/numbered_name.hpp"

namespace stepscope::recorder {

SessionLog::SessionLog(SessionView session, StoreWriter& store) : session_(session), store_(store) {
  about_.pid = session.header().pid;
}

void SessionLog::take(Health& health) {
  const std::uint32_t rows = session_.header().log_entries.load(std::memory_order_acquire);
  const bool first = taken_ == 0;
  const std::int32_t rank = about_.rank, world_size = about_.world_size;
  for (; taken_ < rows; ++taken_) take_entry(session_.log(taken_), health);
  // A program may say later which rank a process is.
  if (first || about_.rank != rank || about_.world_size != world_size) store_.describe(about_);
}

void SessionLog::take_entry(const LogEntry& entry, Health& health) {
  switch (entry.kind) {
    case LogKind::fact:
      return take_fact(session_.known_name(entry.key), session_.known_name(entry.value), health);
    case LogKind::note:
      health.notes.emplace_back(session_.known_name(entry.value));
      return;
    case LogKind::label:
      return take_label(entry);
    case LogKind::call_name:
      return take_call(entry);
    case LogKind::stream:
      return take_stream(entry);
  }
}

void SessionLog::take_call(const LogEntry& entry) {
  const auto code = static_cast<std::uint16_t>(entry.id);
  if (code >= calls_.size()) calls_.resize(code + 1U);
  calls_[code] = {text(entry.value), classify_api(session_.known_name(entry.value))};
}

void SessionLog::take_label(const LogEntry& entry) {
  static constexpr const char* kKinds[] = {"thread",     "cuda_stream",  "cuda_device",
                                           "cuda_event", "cuda_context", "category"};
  const std::string_view name = session_.known_name(entry.value);
  if (entry.label_kind == static_cast<std::uint32_t>(LabelKind::thread)) {
    store_.name_thread(store_.thread(static_cast<std::int64_t>(entry.id)), name);
  } else if (entry.label_kind < std::size(kKinds)) {
    store_.fact("label." + std::string(kKinds[entry.label_kind]) + "." + std::to_string(entry.id),
                name);
  }
}

void SessionLog::take_stream(const LogEntry& entry) {
  if (entry.key > 2 * kMaxLog) return;  // a stream is numbered where there is room to say so
  if (entry.key >= streams_.size()) streams_.resize(entry.key + 1U, kNone);
  streams_[entry.key] = store_.stream(entry.label_kind, static_cast<std::uint32_t>(entry.id >> 32U),
                                      static_cast<std::uint32_t>(entry.id));
}

// Facts of these keys are columns of the process.
void SessionLog::take_fact(std::string_view key, std::string_view value, Health& health) {
  const auto number = [&] {
    return static_cast<std::int32_t>(std::strtol(std::string(value).c_str(), nullptr, 10));
  };
  if (key == "process.name") {
    about_.name = value;
  } else if (key == "process.host") {
    about_.host = value;
  } else if (key == "process.rank") {
    about_.rank = number();
  } else if (key == "process.world_size") {
    about_.world_size = number();
  } else if (key == "rival") {
    health.rivals.emplace_back(value);
  } else {
    store_.fact(key, value);
  }
}

StringId SessionLog::text(NameId name) {
  if (name >= kMaxNames) return 0;
  if (name >= texts_.size()) texts_.resize(name + 1U, kNone);
  if (texts_[name] == kNone) texts_[name] = store_.intern(session_.known_name(name));
  return texts_[name];
}

StringId SessionLog::range_text(RangeName name) {
  if (name.numbers() == 0) return text(name.id());
  return store_.intern_once(with_numbers(session_.known_name(name.id()), name.numbers()).view());
}

SiteId SessionLog::site(SiteRef site) {
  if (site == 0 || site >= kMaxSites) return kNone;
  if (site >= sites_.size()) sites_.resize(site + 1U, kNone);
  if (sites_[site] == kNone) {
    const SiteEntry entry = session_.known_site(site);
    sites_[site] =
        store_.site({text(entry.file), entry.line, text(entry.function), SiteKind::call});
  }
  return sites_[site];
}

StreamId SessionLog::stream(StreamRef stream) const {
  return stream < streams_.size() ? streams_[stream] : kNone;
}

SessionLog::Call SessionLog::call(std::uint16_t code) const {
  return code < calls_.size() ? calls_[code] : Call{};
}

}  // namespace stepscope::recorder
