# Target stepscope_torch: headers and CPU libraries of LibTorch 2.11, as scripts/setup finds or installs it.
#
# find_package(Torch) is not used: it is fatal without a CUDA toolkit, and what it links (libtorch.so) pulls
# in every CUDA library at start. Programs link libtorch_cpu and libc10 only, so one build runs on a machine
# with nothing of CUDA but the two small libraries that libtorch_cpu itself needs; where a GPU is wanted,
# reference_trainers/common/device.cpp loads libtorch_cuda at run time.

set(STEPSCOPE_TORCH_DIR "$ENV{STEPSCOPE_TORCH_DIR}" CACHE PATH
  "Folder of the Python package torch 2.11 (with include/ and lib/); by default what scripts/setup found or installed")
set(torch_env ${STEPSCOPE_ROOT}/.deps/torch.env)
if(NOT STEPSCOPE_TORCH_DIR AND EXISTS ${torch_env})
  file(STRINGS ${torch_env} torch_line REGEX "^STEPSCOPE_TORCH_DIR=")
  string(REGEX REPLACE "^STEPSCOPE_TORCH_DIR=" "" torch_folder "${torch_line}")
  string(REPLACE "\\" "" torch_folder "${torch_folder}")
  set(STEPSCOPE_TORCH_DIR "${torch_folder}" CACHE PATH "" FORCE)
endif()
if(NOT STEPSCOPE_TORCH_DIR)
  file(GLOB venv_torch ${STEPSCOPE_ROOT}/.venv/lib/python3*/site-packages/torch)
  set(STEPSCOPE_TORCH_DIR "${venv_torch}" CACHE PATH "" FORCE)
endif()

if(EXISTS "${STEPSCOPE_TORCH_DIR}/include/ATen/core/Tensor.h")
  set(torch_found ON)
endif()
stepscope_require(torch_found "LibTorch (STEPSCOPE_TORCH_DIR is '${STEPSCOPE_TORCH_DIR}')"
  "scripts/setup demo, or set STEPSCOPE_TORCH_DIR to the folder of an installed torch 2.11")

file(STRINGS ${STEPSCOPE_TORCH_DIR}/version.py version_line REGEX "^__version__")
if(NOT version_line MATCHES "2\\.11\\.")
  message(FATAL_ERROR "LibTorch 2.11 is needed, but ${STEPSCOPE_TORCH_DIR}/version.py says: ${version_line}. "
    "Install it with: scripts/setup demo")
endif()

add_library(stepscope_torch INTERFACE)
target_include_directories(stepscope_torch SYSTEM INTERFACE
  ${STEPSCOPE_TORCH_DIR}/include ${STEPSCOPE_TORCH_DIR}/include/torch/csrc/api/include)
target_link_libraries(stepscope_torch INTERFACE
  ${STEPSCOPE_TORCH_DIR}/lib/libtorch_cpu.so ${STEPSCOPE_TORCH_DIR}/lib/libc10.so
  -Wl,--unresolved-symbols=ignore-in-shared-libs)
