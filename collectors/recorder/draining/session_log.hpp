// SPDX-License-Identifier: Apache-2.0
// The contents of a session's tables, in the store's ids: names, call sites, streams and calls that
// records refer to by number, and the log of facts, labels and notes. Each is given to the store
// once, where it is first needed.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/recorder/live_files/dictionary.hpp"
#include "core/store/writer/writer.hpp"

namespace stepscope::recorder {

class SessionLog {
 public:
  SessionLog(SessionView session, StoreWriter& store);

  // Takes what was logged since; behind a ring's head, so that its records find what they refer to.
  // Notes and rivals go into `health`.
  void take(Health& health);

  StringId text(NameId name);
  StringId range_text(RangeName name);
  SiteId site(SiteRef site);  // kNone for 0
  StreamId stream(StreamRef stream) const;

  struct Call {
    StringId name = 0;
    ApiKind api = ApiKind::other;
  };
  Call call(std::uint16_t code) const;

 private:
  void take_entry(const LogEntry& entry, Health& health);
  void take_call(const LogEntry& entry);
  void take_label(const LogEntry& entry);
  void take_stream(const LogEntry& entry);
  void take_fact(std::string_view key, std::string_view value, Health& health);

  SessionView session_;
  StoreWriter& store_;
  std::vector<StringId> texts_;    // by NameId
  std::vector<SiteId> sites_;      // by SiteRef
  std::vector<StreamId> streams_;  // by StreamRef
  std::vector<Call> calls_;        // by code
  std::uint32_t taken_ = 0;        // entries
  Process about_;
};

}  // namespace stepscope::recorder
