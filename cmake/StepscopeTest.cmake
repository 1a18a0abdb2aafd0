# stepscope_test(<name> SOURCES <files> [LIBRARIES <targets>] [LABELS <labels>] [SHARDS <n>] [ALONE]): one GoogleTest
# program. ctest runs it as n processes (1 unless said) that share its cases out, and with no other test beside it if
# ALONE is said. The name mirrors the folder under test, e.g. core_store_test. A program that holds no case fails.
# What links nothing above stepscope_importers (collectors, and all that reads files) has the label `sanitized`, and
# the target sanitized_tests builds it: scripts/test runs these under the sanitizers.
find_package(GTest QUIET)
stepscope_require(GTest_FOUND "GoogleTest" "apt-get install libgtest-dev libgmock-dev")

# The folder of the profiler's build, whose command some tests run. Another project sets it before it includes this.
if(NOT STEPSCOPE_PROFILER_DIR)
  set(STEPSCOPE_PROFILER_DIR ${PROJECT_BINARY_DIR})
endif()

add_custom_target(sanitized_tests)
set(STEPSCOPE_ABOVE_IMPORTERS "stepscope_core|stepscope_reports|stepscope_cli|stepscope_test_support|stepscope_simulator")

function(stepscope_test_settings name)
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main stepscope_warnings)
  # g++ 12 sees writes behind short strings in a temporary std::string that are not there (GCC bug 105329).
  target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  # What is tested is optimised; optimising the tests themselves took a third of their compilation.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  target_include_directories(${name} PRIVATE ${STEPSCOPE_ROOT})
  target_compile_definitions(${name} PRIVATE STEPSCOPE_SOURCE_DIR="${STEPSCOPE_ROOT}"
    STEPSCOPE_BINARY_DIR="${STEPSCOPE_PROFILER_DIR}")
endfunction()

function(stepscope_test name)
  cmake_parse_arguments(ARG "ALONE" "SHARDS" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  stepscope_test_settings(${name})
  if(NOT ARG_LABELS)
    set(ARG_LABELS cpu)
  endif()
  set(above ${ARG_LIBRARIES})
  list(FILTER above INCLUDE REGEX "^(${STEPSCOPE_ABOVE_IMPORTERS})$")
  if(NOT above)
    list(APPEND ARG_LABELS sanitized)
    add_dependencies(sanitized_tests ${name})
  endif()
  if(gpu IN_LIST ARG_LABELS)  # they go through billions of entries on the host
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  else()
    target_precompile_headers(${name} REUSE_FROM stepscope_test_headers)
    stepscope_together(${name})
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(test ${name})
    if(last)
      set(test ${name}.${shard})
    endif()
    add_test(NAME ${test} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600 RUN_SERIAL ${ARG_ALONE}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}"
      FAIL_REGULAR_EXPRESSION "Running 0 tests|0 tests from 0 test suites ran")
  endforeach()
endfunction()

# What every test program includes, compiled once.
add_executable(stepscope_test_headers EXCLUDE_FROM_ALL ${STEPSCOPE_ROOT}/tests/test_headers.cpp)
stepscope_test_settings(stepscope_test_headers)
target_precompile_headers(stepscope_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <string> <vector>)
