// SPDX-License-Identifier: Apache-2.0
// A shared object with an NVTX instance of its own, as NCCL or cuBLAS have.
#include <nvtx3/nvToolsExt.h>

extern "C" __attribute__((visibility("default"))) void second_client_range(
    const char* domain_name) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA(domain_name);
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "second");
  nvtxDomainRangePushEx(domain, &event);
  nvtxDomainRangePop(domain);
}
