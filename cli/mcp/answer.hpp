// SPDX-License-Identifier: Apache-2.0
// Answers that stay small, since an agent pays for each byte: a whole message with its envelope is
// under 4 KB. A table is cut at a row; "next" says what to pass as `cursor` for the rows behind. A
// text that alone is too long is cut with "…".
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cli/mcp/arguments.hpp"
#include "cli/mcp/message.hpp"

namespace stepscope::mcp {

inline constexpr std::size_t kMostAnswerBytes = 4096;  // length of a message, as it is sent

// Names of C++ templates would fill a page alone; tool "event" has the whole name.
inline constexpr std::size_t kLongestOperation = 120;

// "cursor" and "limit", for tools that answer with a table.
std::vector<Field> page_fields();

struct Rows {
  std::size_t size = 0;
  std::function<Json(std::size_t row)> at;  // an object
  const char* name = "rows";                // under which they stand in the answer
  // As {"columns": [...], "rows": [[...], ...]} instead of objects: half the bytes.
  bool as_table = true;
};

// `head` with the rows from the cursor on, as many as fit; "total", and "next" where there are
// more.
Json page(Json head, const Rows& rows, const Arguments& arguments);

// The same for a text: whole lines.
Json page_text(Json head, std::string_view text, const Arguments& arguments);

// Cuts the longest texts until the answer is small enough: for what cannot be paged.
Json fitted(Json answer);

// The result of tools/call.
Json tool_result(const Json& answer);
Json tool_error(const std::string& message);

}  // namespace stepscope::mcp
