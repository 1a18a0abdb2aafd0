// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/token_pipeline/data/regions.hpp"
#include "reference_trainers/token_pipeline/options.hpp"
#include "reference_trainers/token_pipeline/run.hpp"

namespace stepscope::token_pipeline {
namespace {

using trainers::Task;

Result<Task> pipeline_task(std::span<const char* const> arguments) {
  const auto request = parse(arguments);
  if (!request) return request.error();
  const Config& config = request->config;
  Task task{.print = request->print, .nproc = config.machine.nproc};
  if (!config.write_data.empty())
    task.instead = [config](const Say&) {
      return write_regions(config.write_data, make_regions(config));
    };
  task.train = [config](const Say& say) -> Result<std::string> {
    const auto result = run(config, say);
    if (!result) return result.error();
    return result->rank == 0 ? to_json(config, *result) : "";
  };
  return task;
}

}  // namespace
}  // namespace stepscope::token_pipeline

int main(int count, char** arguments) {
  return stepscope::trainers::trainer_main("train_token_pipeline", count, arguments,
                                           stepscope::token_pipeline::pipeline_task);
}
