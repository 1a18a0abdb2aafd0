// SPDX-License-Identifier: Apache-2.0
// stepscope completion bash|zsh: a script for the shell, from the verbs and options that this very
// binary has.
#include <fmt/format.h>

#include "cli/verbs/verbs.hpp"

namespace stepscope {
namespace {

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  stepscope completion bash > ~/.local/share/bash-completion/completions/stepscope\n"
    "  stepscope completion zsh > ~/.zfunc/_stepscope      with fpath+=~/.zfunc before compinit\n";

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string options_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string names_of(const std::vector<const CLI::App*>& verbs) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

// The words that may follow a verb, as cases of a shell's `case`.
std::string cases(const CLI::App& app) {
  std::string out;
  for (const CLI::App* verb : verbs_of(app)) {
    std::string words = options_of(*verb);
    if (const std::string below = names_of(verbs_of(*verb)); !below.empty())
      words = below + " " + words;
    out += fmt::format("    {}) offered='{}' ;;\n", verb->get_name(), words);
  }
  return out;
}

// Options where a word begins with '-', else files; behind `--` the command's own words.
std::string bash_script(const CLI::App& app) {
  return fmt::format(
      "# stepscope completion bash\n"
      "_stepscope() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} offered=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} {}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "{}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$offered\" -- \"$word\"))\n"
      "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _stepscope stepscope\n",
      names_of(verbs_of(app)), options_of(app), cases(app));
}

std::string zsh_script(const CLI::App& app) {
  return fmt::format(
      "#compdef stepscope\n"
      "# stepscope completion zsh\n"
      "local offered=\n"
      "if (( CURRENT == 2 )); then\n"
      "  compadd -- {} {}\n"
      "  return\n"
      "fi\n"
      "case ${{words[2]}} in\n"
      "{}"
      "esac\n"
      "if [[ $PREFIX == -* ]]; then\n"
      "  compadd -- ${{(M)${{=offered}}:#-*}}\n"
      "else\n"
      "  compadd -- ${{${{=offered}}:#-*}}\n"
      "  _files\n"
      "fi\n",
      names_of(verbs_of(app)), options_of(app), cases(app));
}

}  // namespace

void add_completion_verb(CLI::App& app, int& status) {
  CLI::App* verb =
      app.add_subcommand("completion", "Print a shell's completion script: bash or zsh");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  verb->footer(kCompletionExamples);
  verb->callback([&app, shell, &status] {
    fmt::print("{}", *shell == "bash" ? bash_script(app) : zsh_script(app));
    status = 0;
  });
}

}  // namespace stepscope
