// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <vector>

#include "reference_trainers/common/program/list_switches.hpp"
#include "reference_trainers/common/slow_rank.hpp"
#include "reference_trainers/common/trainer_options.hpp"

namespace stepscope::llm {
namespace {

constexpr const char* kAboutLlm =
    "Trains a decoder (grouped-query attention, QK-norm, RoPE, SwiGLU, RMSNorm, tied embedding) on "
    "token shards or a corpus that it makes itself, and prints one JSON line.\n"
    "Its steps and phases (data, forward with attention, mlp and head, backward, clip, optimizer, "
    "log) are marked for stepscope:\n"
    "  stepscope profile -o llm.scope -- train_llm --rung R4 && stepscope report llm.scope\n"
    "  stepscope ladder llm --rungs R0..R5     every rung, measured and explained\n";

constexpr const char* kLlmFooter =
    "Data: --data takes a folder of shards in the format of llm.c (*.bin), or one of them; "
    "--write-data makes some, of a made corpus or of --text:\n"
    "  train_llm --write-data shards/ --text books/ --tokenizer books.model --train-tokenizer "
    "32768\n"
    "MFU is tokens/s * (6 N + 6 L d T) / --peak-tflops, N with the output matrix once, attention "
    "causal (llm.c's convention; that of PaLM reads 5 to 15 % higher).\n"
    "Several ranks: --nproc 2 here, or under torchrun, srun or mpirun; --micro-batch and "
    "--accumulate are those of each rank:\n"
    "  torchrun --no-python --nproc-per-node 2 train_llm --preset t90m --rung R6e\n"
    "A rank that fails ends the run: the message names it.\n"
    "Exit status: 0 done, 1 the training failed (no GPU, out of memory, a loss that is not finite, "
    "shards or a checkpoint that cannot be read), 2 wrong usage.";

// Options that are applied on top of the preset, whatever the order on the command line.
struct Given {
  std::string rung = "R0";
  trainers::NamedSwitches named;
};

void add_model(CLI::App& app, Config& config) {
  constexpr std::int64_t kMost = 1 << 20;
  const auto size = [&app](const char* name, std::int64_t& value, const char* about,
                           std::int64_t least = 1) {
    app.add_option(name, value, about)->check(CLI::Range(least, kMost));
  };
  size("--layers", config.shape.layers, "Blocks");
  size("--d-model", config.shape.d_model, "Width of the residual", 2);
  size("--heads", config.shape.heads, "Query heads");
  size("--kv-heads", config.shape.kv_heads, "Key and value heads");
  size("--hidden", config.shape.hidden, "Width of the feed-forward part");
  app.add_option("--vocabulary", config.shape.vocabulary,
                 "Tokens that there are; the made corpus uses the first 65,536 at most")
      ->check(CLI::Range(64, 1 << 20));
  app.add_option("--sequence", config.sequence, "Tokens a sequence")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{1} << 30));
  size("--micro-batch", config.micro_batch, "Sequences in memory at once");
  size("--accumulate", config.accumulate, "Micro-batches a step, of each rank");
}

void add_fp8(CLI::App& app, Config& config) {
  static const std::map<std::string, Fp8Scaling> kScalings{{"delayed", Fp8Scaling::delayed},
                                                           {"current", Fp8Scaling::current}};
  static const std::map<std::string, Fp8Gradients> kFormats{{"e5m2", Fp8Gradients::e5m2},
                                                            {"e4m3", Fp8Gradients::e4m3}};
  app.add_option("--fp8-scaling", config.fp8.scaling,
                 "Of the rung fp8: a tensor's scale is that of the last 16 steps, or of its own "
                 "numbers, which takes a pass more")
      ->option_text("delayed|current")
      ->transform(CLI::CheckedTransformer(kScalings));
  app.add_option("--fp8-gradients", config.fp8.gradients,
                 "Number type of the rung fp8's gradients; weights and activations are e4m3")
      ->option_text("e5m2|e4m3")
      ->transform(CLI::CheckedTransformer(kFormats));
}

void add_fp8_sums(CLI::App& app, Config& config) {
  static const std::map<std::string, Fp8Sums> kSums{{"full", Fp8Sums::full},
                                                    {"fast", Fp8Sums::fast}};
  app.add_option("--fp8-gradient-sums", config.fp8.gradient_sums,
                 "Of the rung fp8 on a GPU: fast keeps fewer digits in the sums of gradients, as "
                 "the forward pass does")
      ->option_text("full|fast")
      ->transform(CLI::CheckedTransformer(kSums));
}

void add_schedule(CLI::App& app, Config& config) {
  const CLI::Range count(std::int64_t{0}, std::int64_t{1'000'000'000});
  trainers::add_steps(app, config.steps, config.warm_up, config.log_every);
  app.add_option("--lr", config.learning_rate, "Learning rate at its highest")
      ->check(trainers::above_zero());
  app.add_option("--lr-warm-up", config.lr_warm_up, "Steps in which it rises")->check(count);
  app.add_option("--lr-steps", config.lr_steps,
                 "Steps until it has fallen to a tenth, as a cosine; 0: --steps. Give it where a "
                 "run is made in parts")
      ->check(count);
  app.add_option("--weight-decay", config.weight_decay, "Of matrices")
      ->check(trainers::not_negative());
  app.add_option("--clip", config.clip, "Greatest norm of all gradients together")
      ->check(trainers::above_zero());
}

void add_files(CLI::App& app, Config& config) {
  app.add_option("--data", config.data, "Token shards: a folder, or one file; else a made corpus")
      ->type_name("PATH");
  app.add_option("--write-data", config.write_data,
                 "Write the made corpus there as shards, and do not train")
      ->type_name("FOLDER");
  app.add_option("--corpus-tokens", config.corpus_tokens, "Tokens of the made corpus")
      ->check(CLI::Range(std::int64_t{256}, std::int64_t{1} << 31));
  static const std::map<std::string, Documents> kDocuments{{"ignored", Documents::ignored},
                                                           {"masked", Documents::masked},
                                                           {"packed", Documents::packed}};
  app.add_option("--documents", config.documents.treat,
                 "masked: attention does not cross documents, positions begin anew with each; "
                 "packed: that, and sequences are put together of whole documents")
      ->option_text("ignored|masked|packed")
      ->transform(CLI::CheckedTransformer(kDocuments));
  app.add_option("--document-token", config.documents.token,
                 "That begins a document (made corpus: 0, GPT-2: 50256)");
  app.add_option("--log", config.log,
                 "Where each step's loss, gradient norm and learning rate are written as they are "
                 "read, a line of CSV each; with --resume it is gone on with")
      ->type_name("FILE");
  app.add_option("--checkpoint", config.checkpoint,
                 "Where the run's state is written at its end, whole or not at all")
      ->type_name("FILE");
  app.add_option("--checkpoint-every", config.checkpoint_every,
                 "Steps between writing it before the end, too; 0: none")
      ->needs("--checkpoint")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  app.add_option("--resume", config.resume,
                 "Go on from a checkpoint of the same sizes, seed and sequences a step, to the bit "
                 "with the same ranks and micro-batches. --steps counts from the run's begin")
      ->type_name("FILE");
}

void add_text(CLI::App& app, TextWish& wish) {
  CLI::Option* text =
      app.add_option("--text", wish.text,
                     "With --write-data: make the shards of this text, a file or a folder of *.txt")
          ->type_name("PATH")
          ->needs("--write-data");
  CLI::Option* tokenizer =
      app.add_option("--tokenizer", wish.tokenizer, "Of the text: a model of SentencePiece")
          ->type_name("FILE")
          ->needs(text);
  text->needs(tokenizer);
  app.add_option("--train-tokenizer", wish.train_tokenizer,
                 "Make that model of the text first, with at most so many tokens; 0: it is there")
      ->needs(text)
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{65536}));
  app.add_option("--separator", wish.separator,
                 "Line of the text that ends a document; else a file is one")
      ->type_name("LINE")
      ->needs(text);
}

void add_machine(CLI::App& app, Config& config) {
  trainers::add_device_options(app, config.device, config.threads);
  app.add_option("--peak-tflops", config.peak_tflops, "Of the GPU, for MFU; 0: none is said")
      ->check(trainers::not_negative());
  app.add_option("--seed", config.seed, "Fixes weights, made corpus and the order of sequences");
}

void add_ranks_of_llm(CLI::App& app, Config& config) {
  app.add_option("--nproc", config.nproc,
                 "Ranks to start on this machine, a GPU each with --device cuda. Each takes "
                 "micro-batches of its own; gradients are summed beside the backward pass")
      ->check(CLI::Range(1, 256));
  app.add_flag("--zero", config.zero, "ZeRO-1: ranks share the optimizer's state, 1/W of it each");
  app.add_option("--bucket-mb", config.bucket_mb, "Gradients that one call sums over the ranks")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
  trainers::add_rank_timeout(app, config.rank_timeout_s);
  trainers::add_slow_rank(app, config.slow);
}

Status choose_rungs(Config& config, const Given& given) {
  Result<Rungs> rungs = rungs_up_to(given.rung);
  if (!rungs) return usage_error("--rung: " + rungs.error().message);
  config.rungs = *rungs;
  return trainers::turn_named(ladder(), config.rungs, given.named);
}

}  // namespace

Result<Request> parse(std::span<const char* const> arguments) {
  Request request;
  Config& config = request.config;
  if (const Preset* preset = find_preset(trainers::preset_in(arguments, "tiny")))
    use_preset(config, *preset);
  CLI::App app(kAboutLlm, "train_llm");
  app.option_defaults()->always_capture_default();
  std::vector<trainers::PresetName> presets;
  for (const Preset& preset : all_presets()) presets.push_back({preset.name, preset.summary});
  trainers::add_presets(app, config.preset, presets);
  Given given;
  app.add_option("--rung", given.rung, trainers::ladder_help(ladder()))->type_name("RUNG");
  trainers::add_named_switches(app, given.named);
  add_model(app, config);
  add_fp8(app, config);
  add_fp8_sums(app, config);
  add_schedule(app, config);
  add_files(app, config);
  add_text(app, request.text);
  add_machine(app, config);
  add_ranks_of_llm(app, config);
  trainers::add_list_switches(app, request.lists_switches);
  app.footer(kLlmFooter);

  const auto help = trainers::parse_words(app, arguments);
  if (!help) return help.error();
  if (*help) {
    request.help = *help;
    return request;
  }
  if (const Status chosen = choose_rungs(config, given); !chosen) return chosen.error();
  if (const Status good = check(config); !good) return good.error();
  return request;
}

}  // namespace stepscope::llm
