// SPDX-License-Identifier: Apache-2.0
// ns a pair of NVTX push and pop, from the real NVTX headers through our collector and recorder
// into the ring. In batches that the ring holds, with time for the writer thread between: a full
// ring drops, and a dropped pair is cheaper than a recorded one.
//
//   nvtx_benchmark              with the collector
//   nvtx_benchmark --no-tool    without any
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "collectors/annotate/stepscope/annotate.hpp"

namespace {

constexpr int kBatches = 60, kPairs = 20'000;

template <typename Pair>
void measure(const char* what, Pair pair) {
  std::vector<double> costs;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kPairs; ++i) pair();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    costs.push_back(spent.count() / kPairs);
    usleep(50'000);
  }
  std::sort(costs.begin(), costs.end());
  std::printf("%-42s median %6.1f  p10 %6.1f  p90 %6.1f ns a pair\n", what, costs[kBatches / 2],
              costs[kBatches / 10], costs[kBatches * 9 / 10]);
}

nvtxEventAttributes_t attributes() {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return event;
}

}  // namespace

int main(int argc, char** argv) {
  char folder[] = "/tmp/nvtx_benchmark.XXXXXX";
  if (argc < 2 || std::strcmp(argv[1], "--no-tool") != 0) {
    if (mkdtemp(folder) == nullptr) return 1;
    setenv("STEPSCOPE_TEST_FOLDER", folder, 1);
    setenv("NVTX_INJECTION64_PATH", STEPSCOPE_TEST_INJECTION, 1);
  }
  measure("nvtxRangePushA, default domain", [] {
    nvtxRangePushA("forward");
    nvtxRangePop();
  });
  nvtxDomainHandle_t domain = nvtxDomainCreateA("benchmark");
  nvtxEventAttributes_t text = attributes();
  text.messageType = NVTX_MESSAGE_TYPE_ASCII;
  text.message.ascii = "a longer message of about forty letters";
  measure("nvtxDomainRangePushEx, 39 letters", [&] {
    nvtxDomainRangePushEx(domain, &text);
    nvtxDomainRangePop(domain);
  });
  nvtxEventAttributes_t registered = attributes();
  registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  registered.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  measure("nvtxDomainRangePushEx, registered string", [&] {
    nvtxDomainRangePushEx(domain, &registered);
    nvtxDomainRangePop(domain);
  });
  measure("nvtxRangeStartA and nvtxRangeEnd", [] { nvtxRangeEnd(nvtxRangeStartA("request")); });
  measure("stepscope::phase", [] { const auto topk = stepscope::phase("topk"); });
  std::error_code ignored;  // nothing was made without a tool
  std::filesystem::remove_all(folder, ignored);
}
