// SPDX-License-Identifier: Apache-2.0
// Documents of text files, UTF-8. A file is a document; where a separator is given, a line that
// consists of it ends one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::llm {

// The file, or a folder's *.txt by name, with those of its folders. An Error where there is none.
Result<std::vector<std::string>> text_files(const std::string& path);

// The first byte that is no UTF-8; the text's size where all is.
std::size_t first_not_utf8(std::string_view text);

// Calls `each` with every document that is not empty. An Error names a file that cannot be read, or
// the byte at which it is no text.
Status for_each_document(const std::vector<std::string>& files, const std::string& separator,
                         const std::function<Status(std::string_view)>& each);

}  // namespace stepscope::llm
