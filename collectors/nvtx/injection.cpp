// SPDX-License-Identifier: Apache-2.0
// The two entry points that every NVTX client in the process calls, one client a shared object,
// each at its own first call, maybe from several threads at once. They only write function pointers
// into the caller's tables, so there is nothing to guard. They always return 1: after a 0 the
// client would dlclose the library.
//
// Visibility is written out: including NVTX's payload header beside a definition would make it
// local.
#include "collectors/nvtx/callbacks.hpp"

namespace {

using namespace stepscope::nvtx;

void fill(const ExportCallbacks& client, Module module,
          std::span<const Callback> callbacks) noexcept {
  Function** table = nullptr;
  unsigned size = 0;
  if (client.module_table(module, &table, &size) == 0 || table == nullptr) return;
  for (const Callback& entry : callbacks) {
    if (entry.slot < size && table[entry.slot] != nullptr) *table[entry.slot] = entry.function;
  }
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(GetExportTable get_table) {
  const auto* client = get_table == nullptr
                           ? nullptr
                           : static_cast<const ExportCallbacks*>(get_table(kExportCallbacks));
  if (client == nullptr || client->struct_size < sizeof(ExportCallbacks)) return 1;
  fill(*client, kCore, core_callbacks());
  fill(*client, kCore2, core2_callbacks());
  fill(*client, kSync, sync_callbacks());
  fill(*client, kCuda, cuda_callbacks());
  fill(*client, kCudart, cudart_callbacks());
  return 1;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(ExtensionInfo* module) {
  if (module == nullptr || module->struct_size < sizeof(ExtensionInfo)) return 1;
  if (module->module != kPayloadModule || module->segment_count == 0) return 1;
  const ExtensionSegment& segment = module->segments[0];
  for (const Callback& entry : payload_callbacks()) {
    if (entry.slot >= segment.slot_count) continue;
    segment.slots[entry.slot] = reinterpret_cast<std::intptr_t>(entry.function);
  }
  return 1;
}

}  // extern "C"
