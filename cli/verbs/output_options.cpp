// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/option_hints.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace stepscope {
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

std::string format_of_name(const std::string& file, const std::vector<std::string>& formats) {
  std::string_view unknown;
  for (const Suffix& suffix : kSuffixes) {
    if (!file.ends_with(suffix.end)) continue;
    if (std::find(formats.begin(), formats.end(), suffix.format) != formats.end())
      return std::string(suffix.format);
    unknown = suffix.end;
  }
  if (unknown.empty()) return "";
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
