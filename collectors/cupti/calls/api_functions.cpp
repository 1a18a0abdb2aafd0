// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/calls/api_functions.hpp"

#include <array>
#include <cstring>

namespace stepscope::cupti {
namespace {

// cudaLaunchConfig_t and CUlaunchConfig both hold their stream here.
constexpr std::size_t kStreamInConfig = 32;

constexpr bool kLeftToDriver = true;

// clang-format off
constexpr std::array kFunctions = {
    ApiFunction{Domain::runtime, {31, 215}, "cudaMemcpy", Level::light, kNowhere, 16},
    ApiFunction{Domain::runtime, {32, 216}, "cudaMemcpy2D", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {39, 223}, "cudaMemcpyToSymbol", Level::light, kNowhere, 16},
    ApiFunction{Domain::runtime, {40, 224}, "cudaMemcpyFromSymbol", Level::light, kNowhere, 16},
    ApiFunction{Domain::runtime, {41, 225}, "cudaMemcpyAsync", Level::light, 32, 16, kLeftToDriver},
    ApiFunction{Domain::runtime, {44, 228}, "cudaMemcpy2DAsync", Level::light, 56, kNowhere},
    ApiFunction{Domain::runtime, {47, 231}, "cudaMemcpyToSymbolAsync", Level::light, 40, 16},
    ApiFunction{Domain::runtime, {48, 232}, "cudaMemcpyFromSymbolAsync", Level::light, 40, 16},
    ApiFunction{Domain::runtime, {49, 233}, "cudaMemset", Level::light, kNowhere, 16},
    ApiFunction{Domain::runtime, {50, 234}, "cudaMemset2D", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {51, 235}, "cudaMemsetAsync", Level::light, 24, 16, kLeftToDriver},
    ApiFunction{Domain::runtime, {52, 236}, "cudaMemset2DAsync", Level::light, 40, kNowhere},
    ApiFunction{Domain::runtime, {131, 239}, "cudaStreamSynchronize", Level::light, 0, kNowhere, kLeftToDriver},
    ApiFunction{Domain::runtime, {137, 0}, "cudaEventSynchronize", Level::light, kNowhere, 0},
    ApiFunction{Domain::runtime, {142, 243}, "cudaMemset3D", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {143, 244}, "cudaMemset3DAsync", Level::light, 64, kNowhere},
    ApiFunction{Domain::runtime, {144, 245}, "cudaMemcpy3D", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {145, 246}, "cudaMemcpy3DAsync", Level::light, 8, kNowhere},
    ApiFunction{Domain::runtime, {160, 0}, "cudaMemcpyPeer", Level::light, kNowhere, 32},
    ApiFunction{Domain::runtime, {161, 0}, "cudaMemcpyPeerAsync", Level::light, 40, 32},
    ApiFunction{Domain::runtime, {162, 249}, "cudaMemcpy3DPeer", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {163, 250}, "cudaMemcpy3DPeerAsync", Level::light, 8, kNowhere},
    ApiFunction{Domain::runtime, {211, 214}, "cudaLaunchKernel", Level::light, 48, kNowhere, kLeftToDriver},
    ApiFunction{Domain::runtime, {269, 270}, "cudaLaunchCooperativeKernel", Level::light, 48, kNowhere},
    ApiFunction{Domain::runtime, {284, 285}, "cudaLaunchHostFunc", Level::light, 0, kNowhere},
    ApiFunction{Domain::runtime, {311, 312}, "cudaGraphLaunch", Level::light, 8, kNowhere, kLeftToDriver},
    ApiFunction{Domain::runtime, {430, 431}, "cudaLaunchKernelExC", Level::light, kConfig, kNowhere, kLeftToDriver},
    ApiFunction{Domain::runtime, {509, 510}, "cudaMemcpyBatchAsync", Level::light, 56, kNowhere},
    ApiFunction{Domain::runtime, {511, 512}, "cudaMemcpy3DBatchAsync", Level::light, 24, kNowhere},
    ApiFunction{Domain::runtime, {165, 0}, "cudaDeviceSynchronize", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {20, 0}, "cudaMalloc", Level::standard, kNowhere, 8},
    ApiFunction{Domain::runtime, {22, 0}, "cudaFree", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {25, 0}, "cudaMallocHost", Level::standard, kNowhere, 8},
    ApiFunction{Domain::runtime, {26, 0}, "cudaFreeHost", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {27, 0}, "cudaHostAlloc", Level::standard, kNowhere, 8},
    ApiFunction{Domain::runtime, {135, 242}, "cudaEventRecord", Level::standard, 8, 0, kLeftToDriver},
    ApiFunction{Domain::runtime, {147, 247}, "cudaStreamWaitEvent", Level::standard, 0, 8, kLeftToDriver},
    ApiFunction{Domain::runtime, {152, 0}, "cudaHostRegister", Level::standard, kNowhere, 8},
    ApiFunction{Domain::runtime, {153, 0}, "cudaHostUnregister", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {206, 0}, "cudaMallocManaged", Level::standard, kNowhere, 8},
    ApiFunction{Domain::runtime, {315, 316}, "cudaStreamBeginCapture", Level::standard, 0, kNowhere},
    ApiFunction{Domain::runtime, {319, 320}, "cudaStreamEndCapture", Level::standard, 0, kNowhere},
    ApiFunction{Domain::runtime, {335, 0}, "cudaGraphExecUpdate", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {370, 371}, "cudaEventRecordWithFlags", Level::standard, 8, 0},
    ApiFunction{Domain::runtime, {373, 374}, "cudaMallocAsync", Level::standard, 16, 8},
    ApiFunction{Domain::runtime, {375, 376}, "cudaFreeAsync", Level::standard, 8, kNowhere},
    ApiFunction{Domain::runtime, {391, 392}, "cudaMallocFromPoolAsync", Level::standard, 24, 8},
    ApiFunction{Domain::runtime, {418, 0}, "cudaGraphInstantiateWithFlags", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {436, 437}, "cudaGraphInstantiateWithParams", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {443, 0}, "cudaGraphInstantiate", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::runtime, {452, 453}, "cudaStreamBeginCaptureToGraph", Level::standard, 0, kNowhere},
    ApiFunction{Domain::driver, {121, 0}, "cuEventSynchronize", Level::light, kNowhere, 0},
    ApiFunction{Domain::driver, {126, 440}, "cuStreamSynchronize", Level::light, 0, kNowhere},
    ApiFunction{Domain::driver, {216, 428}, "cuMemsetD8Async", Level::light, 24, 16},
    ApiFunction{Domain::driver, {218, 429}, "cuMemsetD16Async", Level::light, 24, kNowhere},
    ApiFunction{Domain::driver, {220, 430}, "cuMemsetD32Async", Level::light, 24, kNowhere},
    ApiFunction{Domain::driver, {222, 431}, "cuMemsetD2D8Async", Level::light, 40, kNowhere},
    ApiFunction{Domain::driver, {224, 432}, "cuMemsetD2D16Async", Level::light, 40, kNowhere},
    ApiFunction{Domain::driver, {226, 433}, "cuMemsetD2D32Async", Level::light, 40, kNowhere},
    ApiFunction{Domain::driver, {249, 411}, "cuMemsetD8", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {250, 412}, "cuMemsetD16", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {251, 413}, "cuMemsetD32", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {252, 414}, "cuMemsetD2D8", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {253, 415}, "cuMemsetD2D16", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {254, 416}, "cuMemsetD2D32", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {276, 397}, "cuMemcpyHtoD", Level::light, kNowhere, 16},
    ApiFunction{Domain::driver, {277, 421}, "cuMemcpyHtoDAsync", Level::light, 24, 16},
    ApiFunction{Domain::driver, {278, 398}, "cuMemcpyDtoH", Level::light, kNowhere, 16},
    ApiFunction{Domain::driver, {279, 422}, "cuMemcpyDtoHAsync", Level::light, 24, 16},
    ApiFunction{Domain::driver, {280, 399}, "cuMemcpyDtoD", Level::light, kNowhere, 16},
    ApiFunction{Domain::driver, {281, 423}, "cuMemcpyDtoDAsync", Level::light, 24, 16},
    ApiFunction{Domain::driver, {287, 405}, "cuMemcpy2D", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {288, 406}, "cuMemcpy2DUnaligned", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {289, 424}, "cuMemcpy2DAsync", Level::light, 8, kNowhere},
    ApiFunction{Domain::driver, {290, 407}, "cuMemcpy3D", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {291, 425}, "cuMemcpy3DAsync", Level::light, 8, kNowhere},
    ApiFunction{Domain::driver, {305, 408}, "cuMemcpy", Level::light, kNowhere, 16},
    ApiFunction{Domain::driver, {306, 418}, "cuMemcpyAsync", Level::light, 24, 16},
    ApiFunction{Domain::driver, {307, 442}, "cuLaunchKernel", Level::light, 40, kNowhere},
    ApiFunction{Domain::driver, {318, 409}, "cuMemcpyPeer", Level::light, kNowhere, 32},
    ApiFunction{Domain::driver, {319, 426}, "cuMemcpyPeerAsync", Level::light, 40, 32},
    ApiFunction{Domain::driver, {320, 410}, "cuMemcpy3DPeer", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {321, 427}, "cuMemcpy3DPeerAsync", Level::light, 8, kNowhere},
    ApiFunction{Domain::driver, {477, 478}, "cuLaunchCooperativeKernel", Level::light, 40, kNowhere},
    ApiFunction{Domain::driver, {514, 515}, "cuGraphLaunch", Level::light, 8, kNowhere},
    ApiFunction{Domain::driver, {527, 528}, "cuLaunchHostFunc", Level::light, 0, kNowhere},
    ApiFunction{Domain::driver, {652, 653}, "cuLaunchKernelEx", Level::light, kConfig, kNowhere},
    ApiFunction{Domain::driver, {776, 777}, "cuMemcpyBatchAsync", Level::light, 64, kNowhere},
    ApiFunction{Domain::driver, {778, 779}, "cuMemcpy3DBatchAsync", Level::light, 32, kNowhere},
    ApiFunction{Domain::driver, {796, 797}, "cuMemcpyBatchAsync", Level::light, 56, kNowhere},
    ApiFunction{Domain::driver, {798, 799}, "cuMemcpy3DBatchAsync", Level::light, 24, kNowhere},
    ApiFunction{Domain::driver, {800, 0}, "cuCtxSynchronize", Level::light, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {18, 0}, "cuModuleLoad", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {19, 0}, "cuModuleLoadData", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {20, 0}, "cuModuleLoadDataEx", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {21, 0}, "cuModuleLoadFatBinary", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {38, 0}, "cuMemFreeHost", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {39, 0}, "cuMemHostAlloc", Level::standard, kNowhere, 8},
    ApiFunction{Domain::driver, {119, 441}, "cuEventRecord", Level::standard, 8, 0},
    ApiFunction{Domain::driver, {243, 0}, "cuMemAlloc", Level::standard, kNowhere, 8},
    ApiFunction{Domain::driver, {245, 0}, "cuMemFree", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {294, 0}, "cuMemAllocHost", Level::standard, kNowhere, 8},
    ApiFunction{Domain::driver, {295, 436}, "cuStreamWaitEvent", Level::standard, 0, 8},
    ApiFunction{Domain::driver, {301, 379}, "cuMemHostRegister", Level::standard, kNowhere, 8},
    ApiFunction{Domain::driver, {371, 0}, "cuMemAllocManaged", Level::standard, kNowhere, 8},
    ApiFunction{Domain::driver, {513, 578}, "cuGraphInstantiate", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {549, 0}, "cuMemCreate", Level::standard, kNowhere, 8},
    ApiFunction{Domain::driver, {587, 588}, "cuEventRecordWithFlags", Level::standard, 8, 0},
    ApiFunction{Domain::driver, {598, 599}, "cuMemAllocAsync", Level::standard, 16, 8},
    ApiFunction{Domain::driver, {600, 601}, "cuMemFreeAsync", Level::standard, 8, kNowhere},
    ApiFunction{Domain::driver, {611, 612}, "cuMemAllocFromPoolAsync", Level::standard, 24, 8},
    ApiFunction{Domain::driver, {643, 0}, "cuGraphInstantiateWithFlags", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {656, 657}, "cuGraphInstantiateWithParams", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {678, 0}, "cuLibraryLoadData", Level::standard, kNowhere, kNowhere},
    ApiFunction{Domain::driver, {679, 0}, "cuLibraryLoadFromFile", Level::standard, kNowhere, kNowhere},
};
// clang-format on

template <class T>
T load(const void* base, std::size_t offset) noexcept {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(base) + offset, sizeof(value));
  return value;
}

}  // namespace

std::span<const ApiFunction> api_functions() noexcept {
  return kFunctions;
}

CallArguments read_arguments(const ApiFunction& function, const void* parameters) noexcept {
  CallArguments arguments;
  if (parameters == nullptr) return arguments;
  if (function.stream == kConfig) {
    const auto* config = load<const void*>(parameters, 0);
    if (config != nullptr) arguments = {load<void*>(config, kStreamInConfig), true, 0};
  } else if (function.stream != kNowhere) {
    arguments = {load<void*>(parameters, function.stream), true, 0};
  }
  if (function.value != kNowhere) arguments.value = load<std::uint64_t>(parameters, function.value);
  return arguments;
}

}  // namespace stepscope::cupti
