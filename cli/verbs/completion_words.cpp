// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/completion_words.hpp"

#include "cli/programs/trainer_program.hpp"
#include "cli/verbs/pages.hpp"

namespace stepscope {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// CLI11 has the members of a set in the type's name alone: "FORMAT:{text,json}".
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Words that a verb checks by itself, for a better message than the parser's.
std::vector<std::string> own_words(const std::string& path) {
  std::vector<std::string> words;
  if (path == "explain")
    for (const FindingPage& page : finding_pages()) words.emplace_back(page.id);
  if (path == "help")
    for (const HelpPage& page : help_pages()) words.emplace_back(page.topic);
  if (path == "train")
    for (const std::string_view model : trainer_names()) words.emplace_back(model);
  return words;
}

VerbWords words_of(const CLI::App& verb, const std::string& path) {
  VerbWords out{path, own_words(path), {}};
  for (const CLI::App* below : verbs_of(verb)) out.words.push_back(below->get_name());
  for (const CLI::Option* option : shown_options(verb)) {
    const std::vector<std::string> values = values_of(*option);
    if (names_of(*option).empty()) {
      append(out.words, values);
    } else if (!values.empty()) {
      out.options.push_back({names_of(*option), values});
    }
  }
  append(out.words, option_words(verb));
  return out;
}

void add_verbs_below(const CLI::App& app, const std::string& above, std::vector<VerbWords>& out) {
  for (const CLI::App* verb : verbs_of(app)) {
    const std::string path = above + verb->get_name();
    out.push_back(words_of(*verb, path));
    add_verbs_below(*verb, path + " ", out);
  }
}

}  // namespace

std::vector<std::string> option_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : shown_options(app)) append(words, names_of(*option));
  return words;
}

std::vector<VerbWords> completion_words(const CLI::App& app) {
  std::vector<VerbWords> out;
  add_verbs_below(app, "", out);
  return out;
}

}  // namespace stepscope
