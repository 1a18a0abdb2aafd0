// SPDX-License-Identifier: Apache-2.0
// Mistyped options and values, and what they were most likely meant to be.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// "'--fromat' is no option (did you mean '--format'?)" where `word` looks like an option that the
// verb does not know; else empty.
std::string unknown_option_text(const CLI::App& verb, std::string_view word);

// Returns what to do where a word asks for something that stepscope does not do, like attaching to
// a process; else empty.
std::string advice_for(std::string_view word);

// Returns unknown_option_text of the first word behind a verb that is an unknown option; else
// empty.
std::string first_unknown_option(const CLI::App& verb, int argc, const char* const* argv);

// CLI::IsMember whose message names the nearest: "'jsn' is none of text, json (did you mean
// 'json'?)".
CLI::Validator one_of(std::vector<std::string> values);

// "Usage: stepscope profile [OPTIONS] COMMAND...": what CLI11 does not know of a verb whose words
// are another program's.
void show_in_usage(CLI::App& verb, const std::string& words);

// --format and -o of the verbs that write a document. Where --format is not given, the end of the
// file's name says the format: `-o page.html` is a page.

// `format` holds the default, which also files of other names get.
void add_output_options(CLI::App& verb, const std::vector<std::string>& formats,
                        std::string& format, std::string& output);

// The same for options of other names. Refuses (usage) a name that says a format which the verb
// does not write.
void let_name_choose_format(CLI::App& verb, const CLI::Option& option,
                            const std::vector<std::string>& formats, std::string& format,
                            const std::string& output);

}  // namespace stepscope
