// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/trainer_main.hpp"
#include "reference_trainers/llm/data/corpus.hpp"
#include "reference_trainers/llm/options.hpp"
#include "reference_trainers/llm/run.hpp"

namespace stepscope::llm {
namespace {

using trainers::Say;
using trainers::Task;

Result<Task> llm_task(std::span<const char* const> arguments) {
  const auto request = parse(arguments);
  if (!request) return request.error();
  const Config& config = request->config;
  Task task{.print = request->help, .nproc = config.nproc};
  if (!task.print && request->lists_switches) task.print = list_switches() + "\n";
  if (!request->text.text.empty()) {
    task.instead = [text = request->text, folder = config.write_data](const Say&) -> Status {
      return run_text_program(text, folder);
    };
  } else if (!config.write_data.empty()) {
    task.instead = [config](const Say& say) { return write_made_corpus(config, say); };
  }
  task.train = [config](const Say& say) -> Result<std::string> {
    const auto result = run(config, say);
    if (!result) return result.error();
    return result->rank == 0 ? to_json(config, *result) : "";
  };
  return task;
}

}  // namespace
}  // namespace stepscope::llm

int main(int count, char** arguments) {
  return stepscope::trainers::trainer_main("train_llm", count, arguments, stepscope::llm::llm_task);
}
