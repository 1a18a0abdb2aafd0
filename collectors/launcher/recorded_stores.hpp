// SPDX-License-Identifier: Apache-2.0
// The stores that the processes of a run left in its folder: what they hold, and what is kept beside
// them for readers that come later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::launcher {

class RecordedStores {
 public:
  explicit RecordedStores(const std::string& folder);  // absolute

  std::size_t count() const { return names_.size(); }
  std::uintmax_t bytes() const;

  // Whether none recorded more than the begin of a program: no call, and few samples. A program that
  // failed has those of Python's own start, as for a script that is not there.
  bool hold_starts_only(bool failed) const;

  // The recorder's words on a plan whose time never came, each once; none where a store recorded
  // something. (A helper's end before the plan's time is no surprise.)
  std::vector<std::string> why_nothing_recorded() const;

  // Writes native_lines.json, while the program is as it ran; a failure is a message.
  void keep_native_lines() const;

  // Writes sources.json, since the files may be edited before anybody compares this run with another.
  // Compiled code counts as loaded when the run began. Without the text a reader still pairs lines by
  // their work, so that a failure is no news.
  void keep_source_text(std::int64_t started_ns) const;

 private:
  std::string folder_;
  std::vector<std::string> names_;  // "1234.sst", sorted
};

}  // namespace stepscope::launcher
