// SPDX-License-Identifier: Apache-2.0
// Where a report goes: stdout, or -o FILE that appears whole or not at all. The file is opened
// before the work begins, so that a path that cannot be written costs no time.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/output/whole_file.hpp"
#include "core/support/result.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

// An Error (usage) where two of them are one file: the second would replace the first. Empty ones
// are stdout.
Status refuse_same_outputs(std::span<const std::string> paths);

class Output {
 public:
  // An empty path is stdout. A device or pipe is written directly; anything else as a whole file.
  // `inputs`: the files that will be read, none of which may be the output.
  static Result<Output> open(const std::string& path, std::span<const std::string> inputs = {});

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();  // without a finish(), nothing is left behind

  bool is_stdout() const { return path_.empty(); }
  Status finish(std::string_view text);
  void say_written() const;  // "stepscope: wrote FILE", where it is one

 private:
  Output(std::string path, std::optional<WholeFile> whole, std::FILE* file);
  Error failed(const char* what) const;

  std::string path_;
  std::optional<WholeFile> whole_;  // none: written directly
  std::FILE* file_ = nullptr;
};

// What the terminal can show. Colour only on a terminal, and never with NO_COLOR set (no-color.org)
// or TERM=dumb; Unicode where the locale's character set is UTF-8. Names are cut to fit a terminal,
// and stay whole in files and pipes, unless COLUMNS says that they are shown on one after all.

Style style_for(bool to_terminal);
bool stdout_is_terminal();
bool stderr_is_terminal();

}  // namespace stepscope
