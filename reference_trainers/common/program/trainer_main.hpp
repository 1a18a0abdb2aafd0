// SPDX-License-Identifier: Apache-2.0
// The main of a trainer: its command line, its streams and its exit status.
//
// Standard output gets one line of JSON, or the text that was asked for; progress and errors go to
// the other stream. Exit status: 0 done, 1 the training failed, 2 the command line is wrong.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::trainers {

using Say = std::function<void(const std::string& line)>;

// What a command line asks for. The first of these that is there is done.
struct Task {
  std::optional<std::string> print;           // --help and the like
  std::function<Status(const Say&)> instead;  // something in place of training
  int nproc = 1;                              // ranks to start on this machine
  // Trains; gives the line of JSON on rank 0, "" on the others.
  std::function<Result<std::string>(const Say&)> train;
};

// `arguments` are those of main; `parse` gets them without the program's name.
int trainer_main(const char* name, int count, char** arguments,
                 const std::function<Result<Task>(std::span<const char* const>)>& parse);

}  // namespace stepscope::trainers
