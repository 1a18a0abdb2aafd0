// SPDX-License-Identifier: Apache-2.0
// Marks the steps and phases of a C++ training loop for stepscope or any other NVTX tool.
//
//   for (std::uint64_t i = 0; i < steps; ++i) {
//     const auto step = stepscope::step_range(i);      // "step 12"
//     { const auto topk = stepscope::phase("topk"); ... }
//   }
//
// A range ends with its scope, on the thread that began it. Without a tool a range costs about a
// nanosecond. One header, C++17, no dependency but libc (link -ldl where glibc is older than 2.34).
//
// This is a minimal NVTX v3 client of its own instead of a wrapper of nvtx3 headers, so that a
// program needs no CUDA toolkit to be annotated: at the first range it loads NVTX_INJECTION64_PATH
// and hands the tool its function tables, as the NVTX headers do. Tables (module, slots): every
// slot that a tool may fill exists; only the domain calls of CORE2 are ever used.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace stepscope {
namespace annotate_detail {

struct EventAttributes {  // nvtxEventAttributes_v2
  std::uint16_t version = 3;
  std::uint16_t size = 48;
  std::uint32_t category = 0;
  std::int32_t color_type = 0;
  std::uint32_t color = 0;
  std::int32_t payload_type = 0;
  std::int32_t reserved = 0;
  std::uint64_t payload = 0;
  std::int32_t message_type = 1;  // a char string
  const char* message = nullptr;
};
static_assert(sizeof(EventAttributes) == 48, "NVTX fixes this layout");

using Function = void (*)();
using GetExportTable = const void* (*)(std::uint32_t table);

enum Category : std::uint32_t { kCategoryStep = 1, kCategoryPhase = 2 };
enum State : int { kFresh, kStarting, kOn, kOff };
enum Core2Slot { kRangePush = 4, kRangePop = 5, kNameCategory = 8, kDomainCreate = 12 };
constexpr unsigned kModules = 7, kSlots = 16, kCore2 = 5;

struct Client {
  std::atomic<int> state{kFresh};
  void* domain = nullptr;
  int (*push)(void*, const EventAttributes*) = nullptr;
  int (*pop)(void*) = nullptr;
  Function functions[kModules][kSlots] = {};
  Function* slots[kModules][kSlots + 1] = {};
};
#if defined(__GNUC__)
__attribute__((visibility("hidden")))  // an instance a shared object, as NVTX itself
#endif
inline Client client;

inline int module_table(int module, Function*** table, unsigned* size) {
  static constexpr unsigned kCount[kModules] = {0, 16, 9, 15, 7, 16, 7};  // with the unused slot 0
  if (module <= 0 || module >= static_cast<int>(kModules)) return 0;
  for (unsigned slot = 1; slot < kCount[module]; ++slot) {
    client.slots[module][slot] = &client.functions[module][slot];
  }
  if (size != nullptr) *size = kCount[module];
  if (table != nullptr) *table = client.slots[module];
  return 1;
}

inline const void* export_table(std::uint32_t table) {
  struct Callbacks {
    std::size_t size;
    int (*module_table)(int, Function***, unsigned*);
  };
  struct Version {
    std::size_t size;
    std::uint32_t version, reserved;
    void (*set_tool_version)(std::uint32_t);
  };
  static constexpr Callbacks kCallbacks{sizeof(Callbacks), module_table};
  static constexpr Version kVersion{sizeof(Version), 3, 0, [](std::uint32_t) {}};
  return table == 1 ? static_cast<const void*>(&kCallbacks) : table == 3 ? &kVersion : nullptr;
}

template <typename Signature>
Signature core2(Core2Slot slot) {
  return reinterpret_cast<Signature>(client.functions[kCore2][slot]);
}

inline bool attach() {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  void* tool = path == nullptr ? nullptr : dlopen(path, RTLD_LAZY);
  void* entry = tool == nullptr ? nullptr : dlsym(tool, "InitializeInjectionNvtx2");
  if (entry == nullptr || reinterpret_cast<int (*)(GetExportTable)>(entry)(export_table) == 0) {
    return false;
  }
  client.push = core2<int (*)(void*, const EventAttributes*)>(kRangePush);
  client.pop = core2<int (*)(void*)>(kRangePop);
  if (client.push == nullptr || client.pop == nullptr) return false;
  if (auto create = core2<void* (*)(const char*)>(kDomainCreate))
    client.domain = create("stepscope");
  if (auto name = core2<void (*)(void*, std::uint32_t, const char*)>(kNameCategory)) {
    name(client.domain, kCategoryStep, "step");
    name(client.domain, kCategoryPhase, "phase");
  }
  return true;
}

// The first caller attaches; whoever calls meanwhile is not held up, its range is just not
// recorded.
inline bool attached_slow() {
  int expected = kFresh;
  if (client.state.compare_exchange_strong(expected, kStarting)) {
    client.state.store(attach() ? kOn : kOff, std::memory_order_release);
  }
  return client.state.load(std::memory_order_acquire) == kOn;
}

inline bool attached() {
  const int state = client.state.load(std::memory_order_acquire);
  return state == kOn || (state == kFresh && attached_slow());
}

}  // namespace annotate_detail

// Ends its range when it goes out of scope. Neither copied nor moved: ranges nest as scopes do.
class [[nodiscard]] AnnotatedRange {
 public:
  AnnotatedRange(const char* name, annotate_detail::Category category) noexcept
      : open_(annotate_detail::attached()) {
    if (open_) begin(name, category);
  }
  explicit AnnotatedRange(std::uint64_t step) noexcept : open_(annotate_detail::attached()) {
    if (open_) begin_step(step);
  }
  ~AnnotatedRange() {
    if (open_) annotate_detail::client.pop(annotate_detail::client.domain);
  }
  AnnotatedRange(const AnnotatedRange&) = delete;
  AnnotatedRange& operator=(const AnnotatedRange&) = delete;

 private:
  static void begin(const char* name, annotate_detail::Category category) noexcept {
    annotate_detail::EventAttributes event;
    event.category = category;
    event.message = name;
    annotate_detail::client.push(annotate_detail::client.domain, &event);
  }
  static void begin_step(std::uint64_t step) noexcept {
    char name[32];
    std::snprintf(name, sizeof name, "step %llu", static_cast<unsigned long long>(step));
    begin(name, annotate_detail::kCategoryStep);
  }

  const bool open_;
};

// One iteration of the training loop.
inline AnnotatedRange step_range(std::uint64_t index) noexcept {
  return AnnotatedRange(index);
}

// A named part of a step: "data", "topk", "loss", ... `name` is read during the call only.
inline AnnotatedRange phase(const char* name) noexcept {
  return {name, annotate_detail::kCategoryPhase};
}

}  // namespace stepscope
