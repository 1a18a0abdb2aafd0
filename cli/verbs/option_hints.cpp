// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/option_hints.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "core/support/words.hpp"

namespace stepscope {
namespace {

std::string hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string_view near = nearest(word, {known.begin(), known.end()});
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

class UsageOfACommand : public CLI::Formatter {
 public:
  explicit UsageOfACommand(std::string words) : words_(std::move(words)) {}
  std::string make_usage(const CLI::App* verb, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(verb, std::move(name));
    return usage.insert(usage.find_last_not_of('\n') + 1, " " + words_);
  }

 private:
  std::string words_;
};

}  // namespace

std::string advice_for(std::string_view word) {
  constexpr std::string_view kAttaching[] = {"attach", "--attach", "--pid", "-p"};
  if (std::find(std::begin(kAttaching), std::end(kAttaching), word) == std::end(kAttaching))
    return "";
  return "stepscope cannot attach to a running process; start the program with 'stepscope profile "
         "-- COMMAND' (with --capture-signal USR2, 'kill -USR2 PID' begins and ends what is "
         "recorded)";
}

std::string unknown_option_text(const CLI::App& verb, std::string_view word) {
  const std::string name(word.substr(0, word.find('=')));
  if (!name.starts_with('-') || name == "-" || name == "--") return "";
  if (verb.get_option_no_throw(name) != nullptr) return "";
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& longer : option->get_lnames()) known.push_back("--" + longer);
  }
  const std::string advice = advice_for(name);
  if (!advice.empty()) return fmt::format("'{}' is no option: {}", name, advice);
  return fmt::format("'{}' is no option{}", name, hint(name, known));
}

std::string first_unknown_option(const CLI::App& verb, int argc, const char* const* argv) {
  bool behind = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (behind && word == "--") break;
    if (behind) {
      std::string text = unknown_option_text(verb, word);
      if (!text.empty()) return text;
    }
    behind = behind || word == verb.get_name();
  }
  return "";
}

void show_in_usage(CLI::App& verb, const std::string& words) {
  verb.formatter(std::make_shared<UsageOfACommand>(words));
}

CLI::Validator one_of(std::vector<std::string> values) {
  const std::string type = fmt::format("{{{}}}", fmt::join(values, ","));
  const auto check = [known = std::move(values)](const std::string& text) {
    if (std::find(known.begin(), known.end(), text) != known.end()) return std::string();
    return fmt::format("'{}' is none of {}{}", text, fmt::join(known, ", "), hint(text, known));
  };
  return {check, type, "one of"};
}

namespace {

struct Suffix {
  std::string_view end;  // end of a file's name
  std::string_view format;
};

// The first that ends a name and is a format of the verb counts.
constexpr Suffix kSuffixes[] = {
    {".sarif.json", "sarif"}, {".sarif", "sarif"},       {".html", "html"},     {".htm", "html"},
    {".md", "markdown"},      {".markdown", "markdown"}, {".svg", "svg"},       {".xml", "junit"},
    {".json", "json"},        {".pftrace", "perfetto"},  {".sqlite", "sqlite"}, {".db", "sqlite"},
    {".csv", "csv"}};

// A name without a suffix, or with one of these, says that its file is text.
constexpr std::string_view kText[] = {"", ".txt", ".text", ".log", ".out"};

// Returns a file's suffix where it is one that names a kind of file: ".pdf", not ".2026" or ".v2".
std::string suffix_of(const std::string& file) {
  std::string suffix = std::filesystem::path(file).extension().string();
  const bool is_word = std::all_of(suffix.begin() + (suffix.empty() ? 0 : 1), suffix.end(),
                                   [](unsigned char c) { return std::isalpha(c) != 0; });
  return is_word && suffix.size() > 2 ? suffix : "";
}

std::string format_of_name(const std::string& file, const std::vector<std::string>& formats) {
  std::string_view unknown;
  for (const Suffix& suffix : kSuffixes) {
    if (!file.ends_with(suffix.end)) continue;
    if (std::find(formats.begin(), formats.end(), suffix.format) != formats.end())
      return std::string(suffix.format);
    unknown = suffix.end;
  }
  const std::string suffix = suffix_of(file);
  if (unknown.empty() && std::find(std::begin(kText), std::end(kText), suffix) != std::end(kText))
    return "";
  if (unknown.empty()) unknown = suffix;
  throw CLI::ValidationError(
      "--output", fmt::format("{}: no {} file can be written here; the formats are {}", file,
                              unknown, fmt::join(formats, ", ")));
}

}  // namespace

void let_name_choose_format(CLI::App& verb, const CLI::Option& option,
                            const std::vector<std::string>& formats, std::string& format,
                            const std::string& output) {
  verb.parse_complete_callback([&option, formats, &format, &output] {
    if (option.count() > 0) return;
    if (const std::string named = format_of_name(output, formats); !named.empty()) format = named;
  });
}

void add_output_options(CLI::App& verb, const std::vector<std::string>& formats,
                        std::string& format, std::string& output) {
  const CLI::Option* option =
      verb.add_option("--format", format,
                      "by default what the name of the file says (" +
                          std::string(formats.size() > 2 ? ".html, .json, ..." : ".json") +
                          "), else text")
          ->check(one_of(formats))
          ->type_name("FORMAT");
  verb.add_option("-o,--output", output, "write to FILE, whole or not at all")->type_name("FILE");
  let_name_choose_format(verb, *option, formats, format, output);
}

}  // namespace stepscope
