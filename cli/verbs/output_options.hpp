// SPDX-License-Identifier: Apache-2.0
// --format and -o of the verbs that write a document. Where --format is not given, the end of the
// file's name says the format: `-o page.html` is a page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stepscope {

// `format` holds the default, which also files of other names get.
void add_output_options(CLI::App& verb, const std::vector<std::string>& formats,
                        std::string& format, std::string& output);

// The same for options of other names. Refuses (usage) a name that says a format which the verb
// does not write.
void let_name_choose_format(CLI::App& verb, const CLI::Option& option,
                            const std::vector<std::string>& formats, std::string& format,
                            const std::string& output);

}  // namespace stepscope
