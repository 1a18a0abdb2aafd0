// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <vector>

#include "reference_trainers/clt/ranks/ranks.hpp"
#include "reference_trainers/clt/variants.hpp"
#include "reference_trainers/common/program/list_switches.hpp"

namespace stepscope::clt {
namespace {

constexpr const char* kAbout =
    "Trains a cross-layer transcoder with BatchTopK on activations that it makes itself (or, with "
    "--data, on recorded ones), and prints one JSON line.\n"
    "Its steps and phases (data, encode, topk, decode, loss, dead, backward, optimizer, eval; "
    "behind "
    "the last step convert) are marked for stepscope:\n"
    "  stepscope profile -o clt.scope -- train_clt --steps 100 && stepscope report clt.scope\n";

constexpr const char* kFooter =
    "A size for one GPU:  train_clt --device cuda --layers 6 --features 8192 --d-model 768 "
    "--batch 1024 --k 200\n"
    "Data in files:       train_clt --write-data FOLDER && train_clt --data FOLDER --variant "
    "optimized\n"
    "Several ranks: --nproc 2 here, or under torchrun (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, "
    "MASTER_PORT):\n"
    "  torchrun --no-python --nproc-per-node 2 train_clt --parallel features\n"
    "A rank that fails ends the run: the message names it.\n"
    "Exit status: 0 done, 1 the training failed (no GPU, out of memory, a loss that is not "
    "finite, data or a checkpoint that cannot be read), 2 wrong usage.";

struct Named : trainers::NamedSwitches {
  std::string rung;
  std::int64_t hierarchical_ranks = 0;
};

std::string variant_help() {
  std::string text = "Which fixes are on in the same training:";
  for (const Variant& variant : all_variants())
    text += fmt::format(" {} ({});", variant.name, variant.summary);
  text.back() = '.';
  return text;
}

std::string fix_help() {
  std::string text = "Also with these fixes (commas):";
  for (const Fix& fix : all_fixes()) text += fmt::format(" {} ({});", fix.name, fix.summary);
  text.back() = '.';
  return text;
}

// --without must not take away what --with asks for.
Status check_kept(const Fixes& fixes, const Named& named) {
  const std::vector<std::string> on = names_of(fixes);
  for (const std::string& name : named.with) {
    if (std::find(on.begin(), on.end(), name) == on.end())
      return usage_error(fmt::format("--with {}: --without {} switches it off again", name,
                                     fmt::join(named.without, ",")));
  }
  return Done{};
}

// The variant, then what was named.
Status choose_fixes(Config& config, const Named& named) {
  if (const Variant* variant = find_variant(config.variant)) {
    config.fixes = variant->fixes;
    config.hierarchical_ranks = variant->hierarchical_ranks;
  }
  if (!named.rung.empty()) {
    const auto rung = all_switches().up_to(named.rung);
    if (!rung) return usage_error("--rung: " + rung.error().message);
    config.fixes = *rung;
  }
  if (named.hierarchical_ranks > 0) config.hierarchical_ranks = named.hierarchical_ranks;
  if (const Status turned = trainers::turn_named(all_switches(), config.fixes, named); !turned)
    return turned;
  return check_kept(config.fixes, named);
}

void add_ranks(CLI::App& app, Config& config) {
  static const std::map<std::string, Parallel> kParallel{{"features", Parallel::features},
                                                         {"data", Parallel::data}};
  app.add_option("--nproc", config.nproc,
                 "Ranks to start on this machine, a GPU each with --device cuda")
      ->check(CLI::Range(1, 256));
  app.add_option("--parallel", config.parallel,
                 "What ranks share: features (each holds some of every layer and reads the whole "
                 "batch), data (each takes some rows and holds the whole model). BatchTopK is "
                 "exact over all ranks either way")
      ->option_text("features|data")
      ->transform(CLI::CheckedTransformer(kParallel));
  trainers::add_rank_timeout(app, config.rank_timeout_s);
  trainers::add_slow_rank(app, config.slow);
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const Variant& variant : all_variants()) names.emplace_back(variant.name);
  return names;
}

void add_sizes(CLI::App& app, Config& config) {
  constexpr std::int64_t kMost = 1 << 24;
  app.add_option("--layers", config.layers, "Layers L; there are L(L+1)/2 decoders")
      ->check(CLI::Range(1, 128));
  app.add_option("--features", config.features, "Features a layer")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  app.add_option("--d-model", config.d_model, "Width of an activation")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  app.add_option("--batch,--micro-batch", config.batch, "Tokens a step (z-scores need 2)")
      ->check(CLI::Range(std::int64_t{2}, kMost));
  app.add_option("--k", config.k, "Active features a token, over all layers")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  app.add_option("--rows", config.rows, "Tokens of the made activation set (--data has its own)")
      ->check(CLI::Range(std::int64_t{2}, kMost));
}

void add_training(CLI::App& app, Config& config) {
  constexpr std::int64_t kMost = 1'000'000'000;
  app.add_option("--steps", config.steps, "Training steps")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  app.add_option("--warm-up", config.warm_up, "First steps that the rate leaves out")
      ->check(CLI::Range(std::int64_t{0}, kMost));
  app.add_option("--eval-every", config.eval_every,
                 "Steps between evaluations on the training batch; 0: none")
      ->check(CLI::Range(std::int64_t{0}, kMost));
  app.add_option("--dead-window", config.dead_window,
                 "Steps without firing after which a feature counts as dead")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  app.add_option("--lr", config.learning_rate, "Adam's learning rate")
      ->check(trainers::above_zero());
  app.add_option("--sparsity-lambda", config.sparsity_lambda,
                 "Weight of sum tanh(c * |decoder| * activation), growing linearly over the run")
      ->check(trainers::not_negative());
  app.add_option("--sparsity-c", config.sparsity_c, "c of the sparsity term")
      ->check(trainers::not_negative());
  app.add_option("--preact-coef", config.preactivation_coef,
                 "Weight of mean relu(-preactivation); above 0 it costs one more encode a step, as "
                 "in the reference")
      ->check(trainers::not_negative());
  app.add_option("--aux-k", config.aux_k,
                 "Dead features a token and layer that rebuild the layer's residual (Gao et al.: "
                 "512), so that they come back; 0: none")
      ->check(CLI::Range(std::int64_t{0}, kMost));
  app.add_option("--aux-k-coef", config.aux_k_coef, "Weight of the loss of --aux-k")
      ->check(trainers::not_negative());
}

void add_data(CLI::App& app, Config& config) {
  static const std::map<std::string, at::ScalarType> kTypes{{"fp32", at::kFloat},
                                                            {"bf16", at::kBFloat16}};
  app.add_option("--data", config.data,
                 "Train on activations in HDF5 files (chunk_0.h5, ...: "
                 "layer_L/inputs and layer_L/targets) in place of made ones, read ahead by "
                 "threads of their own; --layers and --d-model must be theirs")
      ->type_name("FOLDER");
  app.add_option("--write-data", config.write_data,
                 "Write the made activations there for --data, and do not train")
      ->type_name("FOLDER");
  app.add_option("--write-type", config.write_type, "As which numbers --write-data writes them")
      ->option_text("fp32|bf16")
      ->default_str("")
      ->transform(CLI::CheckedTransformer(kTypes))
      ->needs("--write-data");
  app.add_option("--chunk-rows", config.chunk_rows, "Rows a file of --write-data; 0: all in one")
      ->needs("--write-data")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 24));
}

void add_running(CLI::App& app, Config& config, Named& named) {
  CLI::Option* variant = app.add_option("--variant", config.variant, variant_help())
                             ->check(CLI::IsMember(variant_names()));
  app.add_option("--rung", named.rung, trainers::ladder_help(all_switches()))
      ->type_name("RUNG")
      ->excludes(variant);
  app.add_option("--with", named.with, fix_help())
      ->type_name("NAMES")
      ->delimiter(',')
      ->default_str("");
  app.add_option("--without", named.without, "The variant without these fixes (commas)")
      ->type_name("NAMES")
      ->delimiter(',')
      ->default_str("");
  app.add_option("--hierarchical-ranks", named.hierarchical_ranks,
                 "W: select what the reference selects with its features on W ranks, about k / W a "
                 "token, simulated in one process; 1: BatchTopK; 0: the variant's")
      ->check(CLI::Range(0, 4096));
  trainers::add_device_options(app, config.device, config.threads);
  app.add_option(
         "--checkpoint", config.checkpoint,
         "Where the run's state is written at its end, whole or not at all (torch.load reads "
         "it); W ranks that share features write a file each, FILE.rank0ofW and so on")
      ->type_name("FILE");
  app.add_option("--checkpoint-every", config.checkpoint_every,
                 "Steps between writing it before the end, too; 0: none")
      ->needs("--checkpoint")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  app.add_option("--resume", config.resume,
                 "Go on from a checkpoint of the same sizes, seed and fixes, to the bit on one "
                 "device; several ranks: as many as wrote it, and FILE without .rankRofW. --steps "
                 "counts from the run's begin; the JSON's resumed_from are the steps made before, "
                 "which wall_s leaves out")
      ->type_name("FILE");
  app.add_option("--to-jumprelu", config.to_jump_relu,
                 "Behind the last step (also of a checkpoint that has made them all) convert "
                 "BatchTopK to JumpReLU, write a threshold a feature, and say L0, NMSE and "
                 "explained variance before and after on rows that were not trained on: others of "
                 "the same origin; of --data the next batches, and it says so where the steps have "
                 "left none of its first epoch")
      ->type_name("FILE");
  app.add_option("--jumprelu-batches", config.jump_relu_batches,
                 "Training batches that thresholds are found on; a feature that none of them "
                 "selects never fires again")
      ->needs("--to-jumprelu")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--tf32", config.tf32,
               "Matrix products on a GPU's tensor cores, rounding factors to 10 bits");
  app.add_option("--seed", config.seed,
                 "Fixes weights, activations and batches; the same on every device");
}

}  // namespace

Result<Request> parse(std::span<const char* const> arguments) {
  Request request;
  CLI::App app(kAbout, "train_clt");
  app.option_defaults()->always_capture_default();
  add_sizes(app, request.config);
  add_training(app, request.config);
  add_data(app, request.config);
  Named named;
  add_running(app, request.config, named);
  add_ranks(app, request.config);
  bool lists = false;
  trainers::add_list_switches(app, lists);
  app.footer(kFooter);

  const auto help = trainers::parse_words(app, arguments);
  if (!help) return help.error();
  request.print = *help;
  if (lists)
    request.print = trainers::switches_json("clt", trainers::listed(all_switches()), {}) + "\n";
  if (request.print) return request;
  if (const Status chosen = choose_fixes(request.config, named); !chosen) return chosen.error();
  if (Status checked = check(request.config); !checked) return checked.error();
  if (Status ranks = check_ranks(request.config, request.config.nproc); !ranks)
    return ranks.error();
  return request;
}

}  // namespace stepscope::clt
