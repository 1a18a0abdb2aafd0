// SPDX-License-Identifier: Apache-2.0
// Paths as readers see them: what lies in the folder that the run was started in is named from
// there, a package's file from the folder that packages are installed in, and a notebook's cell as
// one. JSON keeps the whole path.
#pragma once

#include <string>
#include <string_view>

#include "core/compare/comparison.hpp"

namespace stepscope {

// "/home/me/proj/models/net.py" in the folder /home/me/proj: "models/net.py";
// ".../site-packages/torch/nn/modules/linear.py": "torch/nn/modules/linear.py".
std::string shown_file(std::string_view file, std::string_view folder);  // empty: not known
std::string shown_file(std::string_view file, const RunFacts& run);
std::string shown_file(std::string_view file, const Comparison& comparison);

// "/opt/venv/bin/python3 /home/me/proj/train.py --lr 1": "python3 train.py --lr 1".
std::string shown_command(const RunFacts& run);

// A source file as a repository's tools name it: relative to the repository's root where it lies
// within, as it stands else.

// `root` is absolute, or empty.
std::string path_below(std::string_view file, std::string_view root);

// The same as a URI reference: percent-encoded, and "file:///..." where the path is absolute.
std::string uri_of(std::string_view path);

}  // namespace stepscope
