// SPDX-License-Identifier: Apache-2.0
#include "cli/output/failure.hpp"

namespace stepscope {

int fail(std::string_view verb, std::string_view subject, const Error& error) {
  std::string line = "stepscope";
  if (!verb.empty()) line += " " + std::string(verb);
  line += ": ";
  if (!subject.empty() && error.message.find(subject) == std::string::npos)
    line += std::string(subject) + ": ";
  for (const char c : error.message) line += c == '\n' ? ' ' : c;
  say("{}\n", line);
  return exit_code_of(error.code);
}

}  // namespace stepscope
