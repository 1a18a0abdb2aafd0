// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/call_hooks.hpp"

#include <array>
#include <atomic>

#include "collectors/cupti/graph_hooks.hpp"
#include "collectors/cupti/stream_ids.hpp"

namespace stepscope::cupti {
namespace {

constexpr std::size_t kIds = 1024;

// Constant-initialised and trivially destroyed: callbacks run until the last instruction.
constinit Library library{};
constinit HookOptions options{};
constinit std::array<const ApiFunction*, kIds> runtime_functions{};
constinit std::array<const ApiFunction*, kIds> driver_functions{};
constinit StreamIds streams{};
constinit std::atomic<bool> failed{false};

const ApiFunction* function_of(Domain domain, std::uint32_t id) noexcept {
  if (id >= kIds) return nullptr;
  return domain == Domain::runtime ? runtime_functions[id] : driver_functions[id];
}

[[gnu::hot]] void on_entry(const ApiFunction& function, std::uint32_t id,
                           const CallbackData& call) noexcept {
  const CallArguments arguments = read_arguments(function, call.function_params);
  recorder::StreamRef stream = recorder::kNoStream;
  if (arguments.has_stream) {
    stream = streams.find(library, call.context, call.context_uid, arguments.stream,
                          id == function.ids[1]);
  }
  const recorder::SiteRef site = options.call_site == nullptr ? 0 : options.call_site();
  recorder::begin_call(
      call_code(function.domain, id),
      function.domain == Domain::runtime ? HostKind::runtime_call : HostKind::driver_call, site,
      call.correlation_id, stream, arguments.value);
}

// How deep the thread is in listed calls; also those that are not recorded count.
thread_local constinit std::uint32_t depth __attribute__((tls_model("initial-exec"))) = 0;

// The outermost one, while depth is not 0.
thread_local constinit const ApiFunction* outermost __attribute__((tls_model("initial-exec"))) =
    nullptr;

// Of the outermost call only.
[[gnu::hot]] void on_call(Domain domain, std::uint32_t id, const CallbackData& call) noexcept {
  const ApiFunction* function = function_of(domain, id);
  if (function == nullptr) return;
  if (call.site == 0) {
    if (depth++ != 0) return;
    outermost = function;
    if (recorder::recording()) on_entry(*function, id, call);
  } else if (depth > 0 && --depth == 0) {
    recorder::end_range(recorder::kLaneCall);
  }
}

void on_resource(std::uint32_t id, const ResourceData& data) noexcept {
  on_graph_callback(id, data, depth > 0 ? outermost : nullptr);
  if (id == kStreamDestroyStarting) streams.forget_everywhere(data.stream);
  // Calls that a context's end interrupts never tell of their own.
  if (id == kContextDestroyStarting && depth > 0) {
    depth = 0;
    recorder::end_range(recorder::kLaneCall);
  }
}

// Unknown ids (a CUPTI older than the function) are no error.
void enable_one(Subscriber subscriber, const ApiFunction& function) noexcept {
  for (const std::uint16_t id : function.ids) {
    if (id == 0 || id >= kIds) continue;
    auto& table = function.domain == Domain::runtime ? runtime_functions : driver_functions;
    table[id] = &function;
    recorder::name_call(call_code(function.domain, id), function.name);
    (void)library.enable_callback(1, subscriber, static_cast<std::uint32_t>(function.domain), id);
  }
}

}  // namespace

[[gnu::hot]] void on_callback(void* /*user*/, std::uint32_t domain, std::uint32_t id,
                              const void* data) {
  switch (static_cast<Domain>(domain)) {
    case Domain::runtime:
    case Domain::driver:
      return on_call(static_cast<Domain>(domain), id, *static_cast<const CallbackData*>(data));
    case Domain::resource:
      return on_resource(id, *static_cast<const ResourceData*>(data));
    case Domain::state:
      if (id == kFatalError && !failed.exchange(true))
        recorder::note(
            "CUPTI reported a fatal error and stopped: no device work is recorded after it");
      return;
  }
}

Status enable_hooks(const Library& found, Subscriber subscriber,
                    const HookOptions& wanted) noexcept {
  library = found;
  options = wanted;
  for (const ApiFunction& function : api_functions()) {
    if (function.level <= wanted.level) enable_one(subscriber, function);
  }
  for (const std::uint32_t id : {kStreamDestroyStarting, kContextDestroyStarting})
    (void)library.enable_callback(1, subscriber, static_cast<std::uint32_t>(Domain::resource), id);
  if (wanted.level != Level::light) enable_graph_hooks(library, subscriber, wanted);
  return library.enable_domain(1, subscriber, static_cast<std::uint32_t>(Domain::state));
}

bool has_failed() noexcept {
  return failed.load(std::memory_order_relaxed);
}

}  // namespace stepscope::cupti
