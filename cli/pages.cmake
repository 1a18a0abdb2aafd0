# Writes OUTPUT, a source that holds the documentation: docs/findings/*.md, a page an id, and docs/*.md, a page a topic.
function(stepscope_page_entries output)
  set(entries "")
  foreach(page ${ARGN})
    get_filename_component(name ${page} NAME_WE)
    file(READ ${page} text)
    string(APPEND entries "    {\"${name}\", R\"~~~(${text})~~~\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  endforeach()
  set(${output} "${entries}" PARENT_SCOPE)
endfunction()

function(stepscope_pages output)
  file(GLOB findings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/findings/*.md)
  file(GLOB topics CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/trainers/*.md)
  list(REMOVE_ITEM topics ${PROJECT_SOURCE_DIR}/docs/README.md)
  list(SORT findings)
  list(SORT topics)
  stepscope_page_entries(finding_entries ${findings})
  stepscope_page_entries(topic_entries ${topics})
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT "// SPDX-License-Identifier: Apache-2.0
// Made by CMake of docs/.
#include \"cli/verbs/pages.hpp\"

namespace stepscope {
namespace {

constexpr FindingPage kFindings[] = {
@finding_entries@};

constexpr HelpPage kTopics[] = {
@topic_entries@};

}  // namespace

std::span<const FindingPage> finding_pages() {
  return kFindings;
}

std::span<const HelpPage> help_pages() {
  return kTopics;
}

}  // namespace stepscope
")
endfunction()
