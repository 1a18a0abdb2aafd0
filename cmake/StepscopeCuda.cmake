# CUDA C++ for kernels/: nvcc, the architectures, and warnings as for C++.
include(CheckLanguage)
check_language(CUDA)
stepscope_require(CMAKE_CUDA_COMPILER "nvcc" "the CUDA toolkit 13 (set CUDACXX or PATH to its nvcc)")

# Ampere and newer; code for what is newer than Hopper is compiled from PTX by the driver.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
enable_language(CUDA)
# CMake 3.25 does not know nvcc's option for C++20, which targets take from CMAKE_CXX_STANDARD.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
find_package(CUDAToolkit REQUIRED)

# stepscope_cuda_settings(<target>): what each target with .cu files shares.
function(stepscope_cuda_settings target)
  set_target_properties(${target} PROPERTIES CUDA_VISIBILITY_PRESET hidden CUDA_RUNTIME_LIBRARY Static)
  target_link_libraries(${target} PUBLIC CUDA::cudart_static)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers;--expt-relaxed-constexpr>"
    "$<$<AND:$<BOOL:${STEPSCOPE_WARNINGS_AS_ERRORS}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings;-Xcompiler=-Werror>")
endfunction()
