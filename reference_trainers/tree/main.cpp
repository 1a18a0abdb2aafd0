// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/tree/options.hpp"
#include "reference_trainers/tree/run.hpp"

namespace stepscope::tree {
namespace {

using trainers::Task;

Result<Task> tree_task(std::span<const char* const> arguments) {
  const auto request = parse(arguments);
  if (!request) return request.error();
  Task task{.print = request->print};
  task.train = [config = request->config](const Say& say) -> Result<std::string> {
    const auto result = run(config, say);
    if (!result) return result.error();
    return to_json(config, *result);
  };
  return task;
}

}  // namespace
}  // namespace stepscope::tree

int main(int count, char** arguments) {
  return stepscope::trainers::trainer_main("train_tree", count, arguments,
                                           stepscope::tree::tree_task);
}
