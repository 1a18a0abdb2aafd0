// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/trainer_main.hpp"

#include <cstdio>
#include <exception>

#include "reference_trainers/comm/local_ranks.hpp"
#include "reference_trainers/comm/rank_place.hpp"
#include "reference_trainers/common/first_line.hpp"

namespace stepscope::trainers {
namespace {

constexpr int kFailed = 1, kUsage = 2;

int print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) < 0 ? kFailed : 0;
}

Result<int> status_of(const Task& task, char** arguments) {
  if (task.print) return print(*task.print);
  const Say say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  if (task.instead) {
    const Status done = task.instead(say);
    return done ? Result<int>(0) : done.error();
  }
  if (starts_ranks(task.nproc)) return run_local_ranks(task.nproc, arguments, say);
  const Result<std::string> json = task.train(say);
  if (!json) return json.error();
  return json->empty() ? 0 : print(*json + "\n");
}

}  // namespace

int trainer_main(const char* name, int count, char** arguments,
                 const std::function<Result<Task>(std::span<const char* const>)>& parse) {
  const auto fail = [name](int status, const std::string& message) {
    std::fprintf(stderr, "%s: error: %s\n", name, message.c_str());
    return status;
  };
  try {
    const auto task = parse({arguments + 1, static_cast<std::size_t>(count - 1)});
    if (!task) return fail(kUsage, task.error().message);
    const Result<int> status = status_of(*task, arguments);
    return status ? *status : fail(kFailed, status.error().message);
  } catch (const std::exception& error) {  // LibTorch throws where memory runs out
    return fail(kFailed, first_line(error));
  }
}

}  // namespace stepscope::trainers
