// SPDX-License-Identifier: Apache-2.0
// Tool "explain": docs/findings/ID.md, or the row of docs/causes.md.
#include "cli/mcp/tool.hpp"
#include "cli/verbs/pages.hpp"

namespace stepscope::mcp {
namespace {

Json list_of_pages(const Arguments& arguments) {
  const auto pages = finding_pages();
  const auto at = [&pages](std::size_t i) {
    return Json{{"id", pages[i].id}, {"title", title_of(pages[i])}};
  };
  return page(Json::object(), {.size = pages.size(), .at = at}, arguments);
}

Result<Json> answer_explain(const ToolCall& call) {
  const std::string id = call.arguments.text("id");
  if (id.empty()) return list_of_pages(call.arguments);
  const auto found = explained(id);
  if (!found) return usage_error("id: " + found.error().message);
  return page_text({{"id", id}}, *found, call.arguments);
}

}  // namespace

Tool explain_tool() {
  return {.name = "explain",
          .title = "What a finding means",
          .about =
              "How a finding is recognised and priced, code before and after the fix, and when "
              "the advice is wrong. Without `id`: the list of all findings.",
          .fields =
              joined({{.name = "id",
                       .about = "A finding's id, like host_sync, or a cause's, like host.off_cpu"}},
                     page_fields()),
          .answer = answer_explain};
}

}  // namespace stepscope::mcp
