# Language level, warnings and the helper that reports a missing dependency with its remedy. The profiler (the top of the
# tree) and the trainers (reference_trainers/) are two projects that share these modules.

get_filename_component(STEPSCOPE_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -O3 compiles longer than -O2, and reports are no faster (docs/measurements/build.md).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(STEPSCOPE_CCACHE ccache)
if(STEPSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STEPSCOPE_CCACHE})
endif()

# -Wno-restrict: at -O3 g++ 12 sees overlaps in char* + std::string that are not there (GCC bug 105651, mended in 13).
# Own code only: never given to targets that wrap third-party headers as sources.
add_library(stepscope_warnings INTERFACE)
target_compile_options(stepscope_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-missing-field-initializers -Wno-restrict -Wconversion -Wsign-conversion -Wshadow>
  $<$<AND:$<BOOL:${STEPSCOPE_WARNINGS_AS_ERRORS}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)

# stepscope_require(<found-variable> <what> <remedy>): stop the configuration with what to install.
function(stepscope_require found what remedy)
  if(NOT ${found})
    message(FATAL_ERROR "${what} not found. Install it with: ${remedy}")
  endif()
endfunction()

# stepscope_static(<imported target> <file>): with STEPSCOPE_STATIC_LIBRARIES, a folder of scripts/packaging, the static
# library there is linked in place of Debian's shared one. Compilation stays as it is, so objects are shared.
set(STEPSCOPE_STATIC_LIBRARIES "" CACHE PATH "Folder of static libraries to link in place of Debian's shared ones")
function(stepscope_static target file)
  if(NOT STEPSCOPE_STATIC_LIBRARIES)
    return()
  endif()
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} ${STEPSCOPE_STATIC_LIBRARIES}/${file})
  endforeach()
endfunction()

# stepscope_together(<target>): with STEPSCOPE_UNITY up to 16 of its files are compiled together, whatever their folders:
# for tests and for code on tensors, whose headers take seconds. Names in their unnamed namespaces must differ then, or a
# file is kept out (SKIP_UNITY_BUILD_INCLUSION).
function(stepscope_together target)
  if(STEPSCOPE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# stepscope_folders_together(<target>): the files of each of its folders are compiled together. A new file moves no
# border between batches, and names in unnamed namespaces need to differ within a folder alone.
function(stepscope_folders_together target)
  get_target_property(chosen ${target} UNITY_BUILD)
  if(chosen)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${folder})
    get_filename_component(group ${path} DIRECTORY)
    file(RELATIVE_PATH group ${STEPSCOPE_ROOT} ${group})
    string(MAKE_C_IDENTIFIER "${group}" group)
    set_source_files_properties(${path} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# stepscope_layer(<target>): the settings that every layer's library shares. Includes are written from
# the top of the tree ("core/model/trace.hpp"), so that each line shows which layer it reaches into.
function(stepscope_layer target)
  target_include_directories(${target} PUBLIC ${STEPSCOPE_ROOT})
  target_link_libraries(${target} PRIVATE stepscope_warnings)
  if(STEPSCOPE_UNITY)  # when all sources are named
    cmake_language(EVAL CODE "cmake_language(DEFER CALL stepscope_folders_together ${target})")
  endif()
endfunction()
