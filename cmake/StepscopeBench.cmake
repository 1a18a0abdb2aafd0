# stepscope_bench(<name> SOURCES <files> LIBRARIES <targets> [ARGUMENTS <of the test>]): a Google Benchmark program, which also runs once as a test,
# so that it never rots.
find_package(benchmark QUIET)
stepscope_require(benchmark_FOUND "Google Benchmark" "apt-get install libbenchmark-dev")

function(stepscope_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;ARGUMENTS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} benchmark::benchmark stepscope_warnings)
  target_include_directories(${name} PRIVATE ${STEPSCOPE_ROOT})
  add_test(NAME ${name} COMMAND ${name} --benchmark_min_time=0.001 ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS cpu TIMEOUT 300)
endfunction()
