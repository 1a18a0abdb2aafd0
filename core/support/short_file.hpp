// SPDX-License-Identifier: Apache-2.0
// A source file as it is named beside a line number where there is room for its name alone.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Returns how a notebook's cell is called, by the name under which IPython compiles it. It is empty
// for any other file. ".../ipykernel_77/2671474964.py" holds a hash of the cell's text, whose last
// digits distinguish cells apart: "notebook cell 4964"; "<ipython-input-4-9a3e>", of older
// versions, its number: "cell [4]".
std::string notebook_cell(std::string_view file);

// Returns "net.py" for "/home/me/proj/models/net.py", and a notebook's cell as above.
std::string short_file(std::string_view file);

}  // namespace stepscope
