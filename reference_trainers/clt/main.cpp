// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/write_data.hpp"
#include "reference_trainers/clt/options.hpp"
#include "reference_trainers/clt/run.hpp"
#include "reference_trainers/common/program/trainer_main.hpp"

namespace stepscope::clt {
namespace {

using trainers::Say;
using trainers::Task;

Result<Task> clt_task(std::span<const char* const> arguments) {
  const auto request = parse(arguments);
  if (!request) return request.error();
  const Config& config = request->config;
  Task task{.print = request->print, .nproc = config.nproc};
  if (!config.write_data.empty())
    task.instead = [config](const Say& say) { return write_data(config, say); };
  task.train = [config](const Say& say) -> Result<std::string> {
    const auto result = run(config, say);
    if (!result) return result.error();
    return result->rank == 0 ? to_json(config, *result) : "";
  };
  return task;
}

}  // namespace
}  // namespace stepscope::clt

int main(int count, char** arguments) {
  return stepscope::trainers::trainer_main("train_clt", count, arguments, stepscope::clt::clt_task);
}
