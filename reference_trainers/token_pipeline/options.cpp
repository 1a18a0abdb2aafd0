// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/options.hpp"

namespace stepscope::token_pipeline {
namespace {

constexpr const char* kAboutPipeline =
    "Trains an encoder on samples of different length (a region of tokens between its two "
    "neighbours) and prints one JSON line. The baseline makes a tensor on the device for every "
    "token's type, puts batches together by repeated concatenation, and waits for its copies; each "
    "fix takes one of these costs away and trains the same.\n"
    "Steps and phases (data, copy, forward with embed, encoder and loss, backward, comm, "
    "optimizer, log; collate in the workers) are marked for stepscope:\n"
    "  stepscope profile --native-lines -o before -- train_token_pipeline && stepscope report "
    "before.scope\n"
    "  stepscope ladder token_pipeline                    every fix, measured and explained\n";

constexpr const char* kPipelineFooter =
    "A size for one GPU:  train_token_pipeline --preset h100 --device cuda --variant optimized\n"
    "One fix alone:       train_token_pipeline --with vectorised\n"
    "All but one:         train_token_pipeline --variant optimized --without pinned\n"
    "Your own samples:    train_token_pipeline --write-data made.pt writes a file of the form that "
    "--data reads; torch.load shows it.\n"
    "Several ranks: --nproc 2 here, or under torchrun, srun or mpirun; --batch is that of each "
    "rank. A rank that fails ends the run: the message names it.\n"
    "Exit status: 0 done, 1 the training failed (out of memory, a loss that is not finite, data "
    "that cannot be read), 2 wrong usage.";

void add_sizes_of_pipeline(CLI::App& app, Config& config) {
  constexpr std::int64_t kMost = 1 << 20;
  const auto size = [&app](const char* name, std::int64_t& value, const char* about,
                           std::int64_t least = 1) {
    app.add_option(name, value, about)->check(CLI::Range(least, kMost));
  };
  size("--layers", config.shape.layers, "Layers of the encoder");
  size("--d-model", config.shape.d_model, "Width of the encoder");
  size("--heads", config.shape.heads, "Heads of attention");
  size("--hidden", config.shape.hidden, "Width of the feed-forward part");
  size("--vocabulary", config.shape.vocabulary, "Tokens that there are");
  size("--features", config.shape.features, "Numbers of a token's dense vector");
  size("--classes", config.shape.classes, "Classes of samples", 2);
  size("--longest-sample", config.longest_sample,
       "Tokens that the model takes; 0: three times --longest-region", 0);
  size("--batch,--micro-batch", config.batch, "Samples a step, of each rank");
  app.add_option("--workers", config.workers,
                 "Threads that make batches, of each rank; 0: 3, and 8 with the fix workers")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{256}));
  size("--buckets", config.buckets, "Parts of a batch, with the fix bucketing");
}

void add_data_of_pipeline(CLI::App& app, Config& config) {
  app.add_option("--data", config.data, "File of regions to train on; else they are made")
      ->type_name("FILE");
  app.add_option("--write-data", config.write_data,
                 "Write the made regions there for --data, and do not train")
      ->type_name("FILE");
  const CLI::Range count(std::int64_t{1}, std::int64_t{1} << 24);
  app.add_option("--samples", config.made.samples, "Samples of the made data")->check(count);
  app.add_option("--shortest-region", config.made.shortest_region,
                 "Tokens of the shortest made region; a sample has three regions")
      ->check(count);
  app.add_option("--longest-region", config.made.longest_region, "Tokens of the longest")
      ->check(count);
}

void add_running_of_pipeline(CLI::App& app, Config& config) {
  trainers::add_steps(app, config.steps, config.warm_up, config.log_every);
  app.add_option("--lr", config.learning_rate, "Adam's learning rate")
      ->check(trainers::above_zero());
  trainers::add_device_options(app, config.machine.device, config.machine.threads);
  app.add_flag("--tf32,!--no-tf32", config.tf32,
               "A GPU's matrix products on its tensor cores, rounding factors to 10 bits")
      ->default_str("on");
  app.add_option("--nproc", config.machine.nproc,
                 "Ranks to start on this machine, a GPU each with --device cuda. Gradients are "
                 "summed beside the backward pass")
      ->check(CLI::Range(1, 256));
  app.add_option("--bucket-mb", config.bucket_mb, "Gradients that one call sums over the ranks")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
  trainers::add_rank_timeout(app, config.machine.rank_timeout_s);
  trainers::add_slow_rank(app, config.machine.slow);
  app.add_option("--seed", config.seed, "Fixes weights, made data and the order of samples");
}

}  // namespace

Result<Request> parse(std::span<const char* const> arguments) {
  const trainers::TrainerWords<Config, Preset, Fixes> words{
      .model = "token_pipeline",
      .about = kAboutPipeline,
      .footer = kPipelineFooter,
      .presets = all_presets(),
      .switches = all_fixes(),
      .optimized = every_fix(),
      .use_preset = use_preset,
      .add_options =
          [](CLI::App& app, Config& config) {
            add_sizes_of_pipeline(app, config);
            add_data_of_pipeline(app, config);
            add_running_of_pipeline(app, config);
          },
      .check = check};
  return trainers::parse_request(words, arguments);
}

}  // namespace stepscope::token_pipeline
