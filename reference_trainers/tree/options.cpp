// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/options.hpp"

#include <CLI/CLI.hpp>
#include <map>

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
  const trainers::TrainerWords<Config, Preset, Fixes> words{.model = "tree",
                                                            .about = kAboutTree,
                                                            .footer = kTreeFooter,
                                                            .presets = all_presets(),
                                                            .switches = all_fixes(),
                                                            .optimized = every_fix(),
                                                            .use_preset = use_preset,
                                                            .add_options =
                                                                [](CLI::App& app, Config& config) {
                                                                  add_sizes_of_tree(app, config);
                                                                  add_running_of_tree(app, config);
                                                                },
                                                            .check = check};
  return trainers::parse_request(words, arguments);
}

}  // namespace stepscope::tree
