// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/polychromic/data/sequences.hpp"
#include "reference_trainers/polychromic/options.hpp"
#include "reference_trainers/polychromic/run.hpp"

namespace stepscope::polychromic {
namespace {

using trainers::Task;

Result<Task> polychromic_task(std::span<const char* const> arguments) {
  const auto request = parse(arguments);
  if (!request) return request.error();
  const Config& config = request->config;
  Task task{.print = request->print};
  if (!config.write_data.empty())
    task.instead = [config](const Say&) {
      return write_sequences(config.write_data, make_sequences(config));
    };
  task.train = [config](const Say& say) -> Result<std::string> {
    const auto result = run(config, say);
    if (!result) return result.error();
    return to_json(config, *result);
  };
  return task;
}

}  // namespace
}  // namespace stepscope::polychromic

int main(int count, char** arguments) {
  return stepscope::trainers::trainer_main("train_polychromic", count, arguments,
                                           stepscope::polychromic::polychromic_task);
}
