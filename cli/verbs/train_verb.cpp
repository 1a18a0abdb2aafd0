// SPDX-License-Identifier: Apache-2.0
// stepscope train MODEL ...: replaces this process by the reference trainer, which links LibTorch
// so that stepscope itself need not. Its arguments pass through untouched.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/output/failure.hpp"
#include "cli/programs/trainer_program.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

int fail_unknown(const std::string& model) {
  const auto names = trainer_names();
  const std::string_view near = nearest(model, names);
  const std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  return fail("train", "",
              usage_error(fmt::format("'{}' is no model; {}there are: {}", model, hint,
                                      fmt::join(names, ", "))));
}

int fail_missing(const std::string& model) {
  fail("train", "", trainer_missing(model));
  return kExitNotFound;
}

int run_train(const std::vector<std::string>& arguments) {
  const std::string& model = arguments.front();
  const auto names = trainer_names();
  if (std::find(names.begin(), names.end(), model) == names.end()) return fail_unknown(model);
  const fs::path program = trainer_program(model);
  if (program.empty()) return fail_missing(model);
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin() + 1, arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  fail("train", program.string(),
       io_error(fmt::format("cannot be run: {}; build it again", std::strerror(errno))));
  return kExitNotExecutable;
}

std::string footer() {
  std::string out = "Models:\n";
  for (const Trainer& trainer : trainers())
    out += fmt::format("  {:<16}{}\n", trainer.name, trainer.about);
  return out +
         "Examples:\n"
         "  stepscope train clt --help          the trainer's own options\n"
         "  stepscope train clt --steps 20\n"
         "  stepscope train llm --preset tiny --rung R5\n"
         "  stepscope train token_pipeline --variant optimized\n";
}

}  // namespace

void add_train_verb(CLI::App& app, int& status) {
  CLI::App* verb =
      app.add_subcommand("train", "Run a reference trainer: stepscope train MODEL [options]");
  verb->prefix_command();
  show_in_usage(*verb, "MODEL [OPTION OF THE TRAINER...]");
  verb->footer(footer());
  verb->callback([verb, &status] {
    const std::vector<std::string> arguments = verb->remaining();
    if (arguments.empty()) throw CLI::RequiredError("MODEL");
    status = run_train(arguments);
  });
}

}  // namespace stepscope
