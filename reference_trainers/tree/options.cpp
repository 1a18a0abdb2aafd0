// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "reference_trainers/common/trainer_options.hpp"

namespace stepscope::tree {
namespace {

constexpr const char* kAboutTree =
    "Trains a small language model whose layers are the nodes of a tree: a sequence passes the "
    "nodes from the root to its domain's leaf, and those with the greatest gradients learn. Prints "
    "one JSON line. The baseline reads a norm of every parameter and the loss in each step, makes "
    "its causal mask in every layer, and evaluates in small batches; each fix takes one of these "
    "costs away.\n"
    "Steps and phases (data, forward with head, backward, credit, clip, optimizer, eval, log; "
    "graph) are marked for stepscope:\n"
    "  stepscope profile --native-lines -o before -- train_tree && stepscope report before.scope\n"
    "  stepscope ladder tree                              every fix, measured and explained\n";

constexpr const char* kTreeFooter =
    "A size for one GPU:     train_tree --preset h100 --device cuda --variant optimized\n"
    "The plain transformer:  train_tree --kind plain\n"
    "One fix alone:          train_tree --with foreach_norms\n"
    "All but one:            train_tree --variant optimized --without rare_sync\n"
    "The fix cuda_graph needs a build with -DSTEPSCOPE_WITH_CUDA=ON where there is a GPU.\n"
    "Exit status: 0 done, 1 the training failed (out of memory, a loss that is not finite), 2 "
    "wrong usage.";

void add_sizes_of_tree(CLI::App& app, Config& config) {
  static const std::map<std::string, Kind> kKinds{{"tree", Kind::tree}, {"plain", Kind::plain}};
  app.add_option("--kind", config.shape.kind, "tree, or plain: one path of layers for every domain")
      ->option_text("tree|plain")
      ->transform(CLI::CheckedTransformer(kKinds));
  const auto size = [&app](const char* name, std::int64_t& value, const char* about,
                           std::int64_t least, std::int64_t most) {
    app.add_option(name, value, about)->check(CLI::Range(least, most));
  };
  constexpr std::int64_t kMost = 1 << 20;
  size("--depth", config.shape.depth, "Edges from the root to a leaf; there are 2^depth leaves", 0,
       10);
  size("--credit", config.credit, "k: nodes of a path that learn from a step", 1, 11);
  size("--d-model", config.shape.d_model, "Width of the residual", 1, kMost);
  size("--heads", config.shape.heads, "Heads of attention", 1, kMost);
  size("--vocabulary", config.shape.vocabulary, "Tokens that there are", 2, kMost);
  size("--sequence", config.shape.sequence, "Tokens a sequence", 1, kMost);
  size("--batch,--micro-batch", config.batch, "Sequences a step", 1, kMost);
  size("--eval-every", config.eval_every, "Steps between evaluations; 0: none", 0, kMost);
  size("--eval-sequences", config.eval_sequences, "Held-out sequences of each domain", 1, kMost);
}

void add_running_of_tree(CLI::App& app, Config& config) {
  trainers::add_steps(app, config.steps, config.warm_up, config.log_every);
  app.add_option("--lr", config.learning_rate, "Adam's learning rate")
      ->check(trainers::above_zero());
  app.add_option("--clip", config.clip, "With clipping: greatest norm of all gradients together")
      ->check(trainers::above_zero());
  trainers::add_device_options(app, config.machine.device, config.machine.threads);
  app.add_flag("--tf32,!--no-tf32", config.tf32,
               "A GPU's matrix products on its tensor cores, rounding factors to 10 bits")
      ->default_str("on");
  app.add_option("--seed", config.seed, "Fixes weights, sequences and their order");
}

}  // namespace

Result<Request> parse(std::span<const char* const> arguments) {
  Request request;
  Config& config = request.config;
  if (const Preset* preset = find_preset(trainers::preset_in(arguments, "tiny")))
    use_preset(config, *preset);
  CLI::App app(kAboutTree, "train_tree");
  app.option_defaults()->always_capture_default();
  std::vector<trainers::PresetName> presets;
  for (const Preset& preset : all_presets()) presets.push_back({preset.name, preset.summary});
  trainers::add_presets(app, config.preset, presets);
  trainers::SwitchChoice chosen;
  trainers::add_switch_choice(app, all_fixes(), chosen);
  add_sizes_of_tree(app, config);
  add_running_of_tree(app, config);
  app.add_flag("--describe", request.describe,
               "Print fixes and presets as one line of JSON, and do not train");
  app.footer(kTreeFooter);
  const auto help = trainers::parse_words(app, arguments);
  if (!help) return help.error();
  request.help = *help;
  if (request.help) return request;
  const Result<Fixes> fixes = trainers::chosen_switches(all_fixes(), every_fix(), chosen);
  if (!fixes) return fixes.error();
  config.fixes = *fixes;
  if (const Status good = check(config); !good) return good.error();
  return request;
}

}  // namespace stepscope::tree
