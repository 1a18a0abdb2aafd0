// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "core/findings/advice/advice.hpp"

namespace stepscope::rules {
namespace {

enum class Fused : std::uint8_t { nowhere, on_cpu, everywhere };

// What the constructors take in PyTorch 2.4 to 2.15.
struct OptimizerForms {
  std::string_view name;
  Fused fused;
  bool foreach;
};
constexpr OptimizerForms kOptimizers[] = {
    {"Adadelta", Fused::nowhere, true}, {"Adafactor", Fused::nowhere, true},
    {"Adagrad", Fused::on_cpu, true},   {"Adam", Fused::everywhere, true},
    {"AdamW", Fused::everywhere, true}, {"Adamax", Fused::nowhere, true},
    {"ASGD", Fused::nowhere, true},     {"NAdam", Fused::nowhere, true},
    {"RAdam", Fused::nowhere, true},    {"RMSprop", Fused::nowhere, true},
    {"Rprop", Fused::nowhere, true},    {"SGD", Fused::everywhere, true},
};

OptimizerAdvice with_argument(std::string_view name, const char* argument, const char* what) {
  return {std::string("give torch.optim.") + std::string(name) + " " + argument + " (" + what +
              "); it computes the same update",
          "torch.optim." + std::string(name) + "(model.parameters(), ..., " + argument +
              ")   # its other arguments stay",
          std::string("with ") + argument};
}

// torch.compile joins the operations of any optimizer, and knows those of PyTorch best.
OptimizerAdvice compiled(std::string_view name) {
  const std::string who = name.empty() ? "the optimizer" : std::string(name);
  return {
      "compile the step of " + who + " (torch.compile), which joins its operations and " +
          "computes the same update: " +
          (name.empty() ? "a fused form of it is not known" : "it has no fused form in PyTorch"),
      "@torch.compile(fullgraph=False)\ndef update(): optimizer.step()", "compiled"};
}

// torch.compile leaves the step of LBFGS as it is, since it calls back into the program.
OptimizerAdvice for_lbfgs() {
  return {
      "keep a shorter history (history_size, 100 unless given: each iteration reads all of it, "
      "once "
      "so many have run), which is what the forecast is of. Fewer evaluations of the loss in each "
      "step (max_iter, max_eval) take their forward and backward passes out of it, too, so that a "
      "step does less. PyTorch has no faster form of LBFGS, and torch.compile leaves its step as "
      "it "
      "is",
      "torch.optim.LBFGS(model.parameters(), history_size=h // 2)   # of what it is now",
      "with a shorter history"};
}

// No optimizer of PyTorch ran, so the program updates its parameters one by one.
OptimizerAdvice for_hand_updates() {
  return {
      "update all parameters at once: torch._foreach_* take lists of parameters and gradients, or "
      "take an optimizer of torch.optim that computes the same, with fused=True",
      "torch._foreach_add_(parameters, gradients, alpha=-lr)   # not: for p in parameters: ...",
      "with operations on lists"};
}

OptimizerAdvice in_cpp(bool has_device) {
  if (has_device)
    return {
        "update many parameters with one kernel: at::_fused_adamw_, at::_fused_adam_ and "
        "at::_fused_sgd_ take lists of tensors, and at::_foreach_* do for other rules",
        "at::_foreach_mul_(momenta, 0.9); at::_foreach_add_(momenta, gradients);",
        "with operations on lists"};
  return {
      "go through each parameter once: at::_fused_adamw_, at::_fused_adam_, at::_fused_sgd_ and "
      "at::_fused_adagrad_ take lists of tensors; else one loop over the raw data",
      "", "with a fused operation"};
}

}  // namespace

OptimizerAdvice optimizer_advice(std::string_view name, OptimizerRuns how, Language language) {
  const bool has_device = how != OptimizerRuns::on_cpu;
  const bool in_lists = how == OptimizerRuns::on_device_in_lists;
  if (language == Language::cpp) return in_cpp(has_device);
  if (name.empty()) return in_lists ? compiled(name) : for_hand_updates();
  const auto* known = std::find_if(std::begin(kOptimizers), std::end(kOptimizers),
                                   [name](const auto& one) { return one.name == name; });
  if (name == "LBFGS") return for_lbfgs();
  if (known == std::end(kOptimizers)) return compiled("");
  const bool fused =
      known->fused == Fused::everywhere || (known->fused == Fused::on_cpu && !has_device);
  if (fused)
    return with_argument(name, "fused=True",
                         in_lists     ? "one pass over all parameters"
                         : has_device ? "one kernel for many parameters"
                                      : "on the CPU from PyTorch 2.4 on: one pass over each "
                                        "parameter");
  if (has_device && !in_lists && known->foreach)
    return with_argument(name, "foreach=True", "one kernel for many parameters");
  return compiled(name);
}

}  // namespace stepscope::rules
