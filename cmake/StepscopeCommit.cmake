# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=TREE -DOUT=FILE -P StepscopeCommit.cmake: writes build_commit.cpp, and only where the commit is another
# than before. A source archive has no history: git archive put its commit into commit.txt.
execute_process(COMMAND git -C ${ROOT} describe --always --abbrev=9 --dirty=+ --exclude=*
  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT commit OR NOT EXISTS ${ROOT}/.git)
  file(STRINGS ${ROOT}/cmake/commit.txt commit LIMIT_COUNT 1)
endif()
if(NOT commit MATCHES "^[0-9a-f]+[+]?$")
  set(commit "unknown commit")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [=[
// SPDX-License-Identifier: Apache-2.0
// Made by cmake/StepscopeCommit.cmake.
#include "cli/output/build_commit.hpp"

namespace stepscope {

const char* build_commit() {
  return "@commit@";
}

}  // namespace stepscope
]=] @ONLY)
