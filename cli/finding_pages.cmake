# Writes finding_pages.cpp of docs/findings/*.md, a page an id, the file's name; and of docs/causes.md.
function(stepscope_finding_pages output)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/findings/*.md)
  list(SORT pages)
  set(entries "")
  foreach(page ${pages})
    get_filename_component(id ${page} NAME_WE)
    file(READ ${page} text)
    string(APPEND entries "    {\"${id}\", R\"~~~(${text})~~~\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  endforeach()
  set(causes_page ${PROJECT_SOURCE_DIR}/docs/causes.md)
  file(READ ${causes_page} causes)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${causes_page})
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT "// SPDX-License-Identifier: Apache-2.0
// Made by CMake of docs/findings and docs/causes.md.
#include \"cli/verbs/cause_page.hpp\"
#include \"cli/verbs/finding_pages.hpp\"

namespace stepscope {
namespace {

constexpr FindingPage kPages[] = {
@entries@};

}  // namespace

std::span<const FindingPage> finding_pages() {
  return kPages;
}

std::string_view causes_document() {
  return R\"~~~(@causes@)~~~\";
}

}  // namespace stepscope
")
endfunction()
