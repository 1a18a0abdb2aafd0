# Language level, warnings and the helper that reports a missing dependency with its remedy.

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

# stepscope_together(<target>): with STEPSCOPE_UNITY its files are compiled several at once. Names in their unnamed
# namespaces must differ then, or a file is kept out (SKIP_UNITY_BUILD_INCLUSION).
function(stepscope_together target)
  if(STEPSCOPE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# stepscope_layer(<target>): the settings that every layer's library shares. Includes are written from
# the top of the tree ("core/model/trace.hpp"), so that each line shows which layer it reaches into.
function(stepscope_layer target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE stepscope_warnings)
endfunction()
