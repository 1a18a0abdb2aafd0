// SPDX-License-Identifier: Apache-2.0
// stepscope completion bash|zsh: a script for the shell, from the verbs and options that this very
// binary has.
#include <fmt/format.h>

#include "cli/verbs/completion_words.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"

namespace stepscope {
namespace {

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  mkdir -p ~/.local/share/bash-completion/completions\n"
    "  stepscope completion bash > ~/.local/share/bash-completion/completions/stepscope\n"
    "  mkdir -p ~/.zfunc && stepscope completion zsh > ~/.zfunc/_stepscope\n"
    "zsh looks there with fpath+=~/.zfunc before compinit in ~/.zshrc. A new shell then completes.";

// Both shells read these as branches of `case`: 'report') offered='...' ;;
std::string word_cases(const std::vector<VerbWords>& verbs) {
  std::string out;
  for (const VerbWords& verb : verbs)
    out += fmt::format("    '{}') offered='{}' ;;\n", verb.path, fmt::join(verb.words, " "));
  return out;
}

// 'report --format') values='text json' ;;
std::string value_cases(const std::vector<VerbWords>& verbs) {
  std::string out;
  for (const VerbWords& verb : verbs) {
    for (const OptionValues& option : verb.options) {
      for (const std::string& name : option.names)
        out += fmt::format("    '{} {}') values='{}' ;;\n", verb.path, name,
                           fmt::join(option.values, " "));
    }
  }
  return out;
}

// 'gate run'|'gate history'
std::string two_word_verbs(const std::vector<VerbWords>& verbs) {
  std::vector<std::string> quoted;
  for (const VerbWords& verb : verbs)
    if (verb.path.find(' ') != std::string::npos) quoted.push_back("'" + verb.path + "'");
  return fmt::format("{}", fmt::join(quoted, "|"));
}

std::string first_words(const CLI::App& app, const std::vector<VerbWords>& verbs) {
  std::vector<std::string> words;
  for (const VerbWords& verb : verbs)
    if (verb.path.find(' ') == std::string::npos) words.push_back(verb.path);
  return fmt::format("{} {}", fmt::join(words, " "), fmt::join(option_words(app), " "));
}

// Makes the script for bash. Behind `--` stands a command of its own. Files are offered where no
// option begins.
std::string bash_script(const CLI::App& app) {
  const std::vector<VerbWords> verbs = completion_words(app);
  return fmt::format(
      "# stepscope completion bash\n"
      "_stepscope() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  local verb=${{COMP_WORDS[1]}} offered= values= at\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{0}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  for ((at = 2; at < COMP_CWORD; ++at)); do\n"
      "    if [ \"${{COMP_WORDS[at]}}\" = -- ]; then\n"
      "      COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "      [ \"$before\" != -- ] || COMPREPLY+=($(compgen -c -- \"$word\"))\n"
      "      return\n"
      "    fi\n"
      "  done\n"
      "  if [ \"$COMP_CWORD\" -gt 2 ]; then\n"
      "    case \"$verb ${{COMP_WORDS[2]}}\" in {1}) verb=\"$verb ${{COMP_WORDS[2]}}\" ;; esac\n"
      "  fi\n"
      "  case \"$verb $before\" in\n"
      "{2}"
      "  esac\n"
      "  if [ -n \"$values\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$verb\" in\n"
      "{3}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$offered\" -- \"$word\"))\n"
      "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _stepscope stepscope\n",
      first_words(app, verbs), two_word_verbs(verbs), value_cases(verbs), word_cases(verbs));
}

std::string zsh_script(const CLI::App& app) {
  const std::vector<VerbWords> verbs = completion_words(app);
  return fmt::format(
      "#compdef stepscope\n"
      "# stepscope completion zsh\n"
      "local verb=${{words[2]}} before=${{words[CURRENT-1]}} offered= values=\n"
      "if (( CURRENT == 2 )); then\n"
      "  compadd -- {0}\n"
      "  return\n"
      "fi\n"
      "if (( ${{words[(I)--]}} > 0 && ${{words[(I)--]}} < CURRENT )); then\n"
      "  shift ${{words[(i)--]}} words\n"
      "  (( CURRENT -= ${{words[(i)--]}} ))\n"
      "  _normal\n"
      "  return\n"
      "fi\n"
      "if (( CURRENT > 3 )); then\n"
      "  case \"$verb ${{words[3]}}\" in {1}) verb=\"$verb ${{words[3]}}\" ;; esac\n"
      "fi\n"
      "case \"$verb $before\" in\n"
      "{2}"
      "esac\n"
      "if [[ -n $values ]]; then\n"
      "  compadd -- ${{=values}}\n"
      "  return\n"
      "fi\n"
      "case \"$verb\" in\n"
      "{3}"
      "esac\n"
      "if [[ $PREFIX == -* ]]; then\n"
      "  compadd -- ${{(M)${{=offered}}:#-*}}\n"
      "else\n"
      "  compadd -- ${{${{=offered}}:#-*}}\n"
      "  _files\n"
      "fi\n",
      first_words(app, verbs), two_word_verbs(verbs), value_cases(verbs), word_cases(verbs));
}

}  // namespace

void add_completion_verb(CLI::App& app, int& status) {
  CLI::App* verb =
      app.add_subcommand("completion", "Print a shell's completion script: bash or zsh");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash or zsh")->required()->check(one_of({"bash", "zsh"}));
  verb->footer(kCompletionExamples);
  verb->callback([&app, shell, &status] {
    fmt::print("{}", *shell == "bash" ? bash_script(app) : zsh_script(app));
    status = 0;
  });
}

}  // namespace stepscope
