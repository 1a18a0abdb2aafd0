// SPDX-License-Identifier: Apache-2.0
// A source file as a repository's tools name it: relative to the repository's root where it lies
// within, as it stands else.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// `root` is absolute, or empty.
std::string path_below(std::string_view file, std::string_view root);

// The same as a URI reference: percent-encoded, and "file:///..." where the path is absolute.
std::string uri_of(std::string_view path);

}  // namespace stepscope
