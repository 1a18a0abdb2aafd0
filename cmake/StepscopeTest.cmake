# stepscope_test(<name> SOURCES <files> [LIBRARIES <targets>] [LABELS <labels>] [ALONE]): one GoogleTest program
# whose cases ctest lists one by one, and runs with no other test beside them if ALONE is said. The name mirrors the
# folder under test, e.g. core_store_test.

include(GoogleTest)

function(stepscope_test_settings name)
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main stepscope_warnings)
  # g++ 12 sees writes behind short strings in a temporary std::string that are not there (GCC bug 105329).
  target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  # What is tested is optimised; optimising the tests themselves took a third of their compilation.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE STEPSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    STEPSCOPE_BINARY_DIR="${PROJECT_BINARY_DIR}")
endfunction()

function(stepscope_test name)
  cmake_parse_arguments(ARG "ALONE" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  stepscope_test_settings(${name})
  if(NOT ARG_LABELS)
    set(ARG_LABELS cpu)
  endif()
  if(gpu IN_LIST ARG_LABELS)  # they go through billions of entries on the host
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  else()
    target_precompile_headers(${name} REUSE_FROM stepscope_test_headers)
    stepscope_together(${name})
  endif()
  # A program linked to LibTorch may read hundreds of MB from a cold disk before it lists its tests.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT 300 RUN_SERIAL ${ARG_ALONE})
endfunction()
