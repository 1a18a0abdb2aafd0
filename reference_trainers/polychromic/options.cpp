// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/options.hpp"

namespace stepscope::polychromic {
namespace {

constexpr const char* kAboutPolychromic =
    "Trains a decoder on sequences and on the diversity of its own replies: in each step it draws "
    "N replies a prompt, a frozen encoder embeds them, and replies that differ from the others of "
    "their prompt become more likely. Prints one JSON line. The baseline generates and encodes one "
    "reply after another and reads a matrix of all pairs on the host; each fix takes one of these "
    "costs away and draws the same replies.\n"
    "Steps and phases (data, generate, encode, diversity, loss, backward, optimizer, log) are "
    "marked for stepscope:\n"
    "  stepscope profile --native-lines -o before -- train_polychromic && stepscope report "
    "before.scope\n"
    "  stepscope ladder polychromic                       every fix, measured and explained\n";

constexpr const char* kPolychromicFooter =
    "A size for one GPU:  train_polychromic --preset h100 --device cuda --variant optimized\n"
    "One fix alone:       train_polychromic --with batched_generation\n"
    "All but one:         train_polychromic --variant optimized --without pairwise_cosine\n"
    "Your own sequences:  train_polychromic --write-data made.pt writes a file of the form that "
    "--data reads; torch.load shows it.\n"
    "The fixes decode_graph and pairwise_cosine need a build with -DSTEPSCOPE_WITH_CUDA=ON where "
    "there is a GPU.\n"
    "Exit status: 0 done, 1 the training failed (out of memory, a loss that is not finite, data "
    "that cannot be read), 2 wrong usage.";

void add_sizes_of_polychromic(CLI::App& app, Config& config) {
  const auto size = [&app](const char* name, std::int64_t& value, const char* about,
                           std::int64_t least = 1, std::int64_t most = 1 << 20) {
    app.add_option(name, value, about)->check(CLI::Range(least, most));
  };
  size("--layers", config.decoder.layers, "Layers of the decoder");
  size("--d-model", config.decoder.d_model, "Width of the decoder");
  size("--heads", config.decoder.heads, "Heads of its attention");
  size("--encoder-layers", config.encoder.layers, "Layers of the encoder");
  size("--encoder-width", config.encoder.d_model, "Width of the encoder: numbers of an embedding",
       1, 8192);
  size("--encoder-heads", config.encoder.heads, "Heads of its attention");
  size("--vocabulary", config.vocabulary, "Tokens that there are", 2);
  size("--prompt", config.lengths.prompt, "Tokens of a prompt");
  size("--reply", config.lengths.reply, "Tokens of a reply");
  size("--batch,--micro-batch", config.batch, "Sequences a step");
  size("--prompts", config.prompts, "Of those, how many have their prompts replied to");
  size("--replies", config.replies,
       "N: replies to a prompt. One is judged by how it differs from the others, and those by how "
       "they differ among themselves, so there must be 3",
       3, 64);
}

void add_running_of_polychromic(CLI::App& app, Config& config) {
  app.add_option("--data", config.data, "File of sequences to train on; else they are made")
      ->type_name("FILE");
  app.add_option("--write-data", config.write_data,
                 "Write the made sequences there for --data, and do not train")
      ->type_name("FILE");
  app.add_option("--sequences", config.sequences, "Made sequences")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24));
  trainers::add_steps(app, config.steps, config.warm_up, config.log_every);
  app.add_option("--lr", config.learning_rate, "Adam's learning rate")
      ->check(trainers::above_zero());
  app.add_option("--diversity-weight", config.diversity_weight,
                 "Of the score function in the loss; 0: replies are scored and teach nothing")
      ->check(trainers::not_negative());
  trainers::add_device_options(app, config.machine.device, config.machine.threads);
  app.add_flag("--bf16,!--no-bf16", config.bf16,
               "Matrix products, and all of generation, in bfloat16: replies of two variants then "
               "part where two tokens are nearly as likely");
  app.add_flag("--tf32,!--no-tf32", config.tf32,
               "A GPU's products in float32 on its tensor cores, rounding factors to 10 bits");
  app.add_option("--seed", config.seed, "Fixes weights, sequences and replies");
}

}  // namespace

Result<Request> parse(std::span<const char* const> arguments) {
  const trainers::TrainerWords<Config, Preset, Fixes> words{
      .model = "polychromic",
      .about = kAboutPolychromic,
      .footer = kPolychromicFooter,
      .presets = all_presets(),
      .switches = all_fixes(),
      .optimized = every_fix(),
      .use_preset = use_preset,
      .add_options =
          [](CLI::App& app, Config& config) {
            add_sizes_of_polychromic(app, config);
            add_running_of_polychromic(app, config);
          },
      .check = check};
  return trainers::parse_request(words, arguments);
}

}  // namespace stepscope::polychromic
