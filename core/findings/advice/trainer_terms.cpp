// SPDX-License-Identifier: Apache-2.0
// Names of arguments are those of transformers 4.40 to 5.24 and lightning 2.0 to 2.6.
#include "core/findings/advice/trainer_terms.hpp"

#include <algorithm>
#include <string_view>

#include "core/findings/advice/advice.hpp"

namespace stepscope::rules {
namespace {

struct TrainerFile {
  std::string_view part;  // found in a path
  Trainer trainer{};
};
constexpr TrainerFile kFiles[] = {{"transformers/trainer.py", Trainer::transformers},
                                  {"lightning/pytorch/loops/", Trainer::lightning},
                                  {"pytorch_lightning/loops/", Trainer::lightning}};

// This trainer has `instead` where a hint says `torch`. Where `instead` is empty, a program under this
// trainer has no place for a line that begins so.
struct Term {
  Trainer trainer{};
  std::string_view torch, instead;
};
constexpr Trainer kTransformers = Trainer::transformers, kLightning = Trainer::lightning;
constexpr std::string_view kAutocast =
    "with torch.autocast('cuda', torch.bfloat16): loss = model(batch)";
constexpr std::string_view kMicroBatches =
    " * micro_batch         # and accumulate over so many times fewer of them";
constexpr Term kTerms[] = {
    {kTransformers, "DataLoader(dataset, ..., collate_fn=tuple)", ""},
    {kTransformers, "def __getitems__(self, rows)", ""},
    {kTransformers, "    return self.images[rows]", ""},
    {kTransformers, "loader = DataLoader(dataset, ..., ", "TrainingArguments(..., "},
    {kTransformers, "loader = DataLoader(dataset, ", "TrainingArguments(..., "},
    {kTransformers, "DataLoader(dataset, ", "TrainingArguments(..., "},
    {kTransformers, " num_workers=", " dataloader_num_workers="},
    {kTransformers, " prefetch_factor=", " dataloader_prefetch_factor="},
    {kTransformers, " persistent_workers=", " dataloader_persistent_workers="},
    {kTransformers, " pin_memory=", " dataloader_pin_memory="},
    {kTransformers, " drop_last=", " dataloader_drop_last="},
    {kTransformers, "torch.optim.AdamW(model.parameters(), ..., fused=True)",
     "TrainingArguments(..., optim='adamw_torch_fused')"},
    {kTransformers, kAutocast, "TrainingArguments(..., bf16=True)"},
    {kTransformers, "model = torch.compile(model, mode='reduce-overhead')",
     "TrainingArguments(..., torch_compile_mode='reduce-overhead')"},
    {kTransformers, "model = torch.compile(model)", "TrainingArguments(..., torch_compile=True)"},
    {kTransformers, kMicroBatches,
     " * micro_batch   # per_device_train_batch_size; gradient_accumulation_steps so many times "
     "less"},
    {kLightning, kAutocast, "Trainer(..., precision='bf16-mixed')"},
    {kLightning, kMicroBatches,
     " * micro_batch   # of the loader; accumulate_grad_batches so many times less"},
    {kTransformers, "with torch.cuda.graph(graph)", ""},
    {kTransformers, "static_batch.copy_(batch)", ""},
    {kTransformers, "batch = batch.to(device", ""},
    {kLightning, "with torch.cuda.graph(graph)", ""},
    {kLightning, "static_batch.copy_(batch)", ""},
    {kLightning, "batch = batch.to(device", ""},
};

bool has_place(std::string_view line, Trainer trainer) {
  return std::ranges::none_of(kTerms, [&](const Term& term) {
    return term.trainer == trainer && term.instead.empty() && line.starts_with(term.torch);
  });
}

std::string lines_with_a_place(std::string_view hint, Trainer trainer) {
  std::string out;
  while (!hint.empty()) {
    const std::string_view line = hint.substr(0, hint.find('\n'));
    hint.remove_prefix(std::min(hint.size(), line.size() + 1));
    if (!has_place(line, trainer)) continue;
    out += out.empty() ? "" : "\n";
    out += line;
  }
  return out;
}

}  // namespace

Trainer trainer_of(const Trace& trace) {
  for (const Site& site : trace.data().sites)
    for (const auto& [part, trainer] : kFiles)
      if (trace.text(site.file).find(part) != std::string_view::npos) return trainer;
  return Trainer::none;
}

std::string for_trainer(std::string hint, Trainer trainer) {
  if (trainer == Trainer::none) return hint;
  hint = lines_with_a_place(hint, trainer);
  for (const Term& term : kTerms)
    if (term.trainer == trainer && !term.instead.empty()) put_text(term.torch, term.instead, hint);
  return hint;
}

}  // namespace stepscope::rules
