// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/calls/call_hooks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "collectors/cupti/calls/graph_hooks.hpp"
#include "collectors/cupti/calls/stream_ids.hpp"
#include "collectors/cupti/guests/sharing.hpp"
#include "collectors/recorder/capture/capture.hpp"

namespace stepscope::cupti {
namespace {

constexpr std::size_t kIds = 1024;

// Constant-initialised and trivially destroyed: callbacks run until the last instruction.
constinit Library loaded_library{};
constinit HookOptions options{};
constinit std::array<const ApiFunction*, kIds> runtime_functions{};
constinit std::array<const ApiFunction*, kIds> driver_functions{};
constinit StreamIds streams{};
constinit std::atomic<bool> failed{false};
constinit Subscriber own_subscriber = nullptr;
constinit std::atomic<std::uint32_t> times_switched_on{0};
constinit std::atomic<Answer> answer{Answer::whole};
constinit std::atomic<std::uint32_t> launch{0};
constinit std::atomic<std::uint32_t> graph_launch{0};
constinit std::atomic<bool> hooks_on{true};

// Stand for all calls that are not in the list; only these are of level deep.
constexpr ApiFunction kOtherRuntime{Domain::runtime, {0, 0}, "", Level::deep, kNowhere, kNowhere};
constexpr ApiFunction kOtherDriver{Domain::driver, {0, 0}, "", Level::deep, kNowhere, kNowhere};

bool is_listed(const ApiFunction& function) noexcept {
  return function.level != Level::deep;
}

std::array<const ApiFunction*, kIds>& functions_of(Domain domain) noexcept {
  return domain == Domain::runtime ? runtime_functions : driver_functions;
}

const ApiFunction* function_of(Domain domain, std::uint32_t id) noexcept {
  return id < kIds ? functions_of(domain)[id] : nullptr;
}

// Once a flush at most.
[[gnu::cold]] bool launches(const ApiFunction& function) noexcept {
  return std::strstr(function.name, "Launch") != nullptr;
}

recorder::SiteRef site_of_call() noexcept {
  const bool wanted =
      options.call_site != nullptr && answer.load(std::memory_order_relaxed) == Answer::whole;
  return wanted ? options.call_site() : 0;
}

HostKind kind_of_call(Domain domain) noexcept {
  return domain == Domain::runtime ? HostKind::runtime_call : HostKind::driver_call;
}

[[gnu::hot]] void on_entry(const ApiFunction& function, std::uint32_t id,
                           const CallbackData& call) noexcept {
  if (launch.load(std::memory_order_relaxed) == 0 && launches(function))
    launch.store(call.correlation_id, std::memory_order_relaxed);
  if (launches_graph(function) && recorder::is_capturing())
    graph_launch.store(call.correlation_id, std::memory_order_relaxed);
  const CallArguments arguments = read_arguments(function, call.function_params);
  recorder::StreamRef stream = recorder::kNoStream;
  if (arguments.has_stream) {
    stream = streams.find(loaded_library, call.context, call.context_uid, arguments.stream,
                          id == function.ids[1]);
  }
  // The counter gives each number once, so it is not asked for a call that is not recorded.
  const bool counted = options.autograd_counter != nullptr && launches_kernel(function);
  recorder::begin_call(call_code(function.domain, id), kind_of_call(function.domain),
                       site_of_call(), call.correlation_id, stream,
                       !counted                   ? arguments.value
                       : recorder::is_capturing() ? options.autograd_counter()
                                                  : 0);
}

// How deep the thread is in listed calls; also those that are not recorded count.
thread_local constinit std::uint32_t depth __attribute__((tls_model("initial-exec"))) = 0;

// The same for the others.
thread_local constinit std::uint32_t other_depth __attribute__((tls_model("initial-exec"))) = 0;

// A thread of ours: its calls are not the program's.
thread_local constinit bool is_own_thread __attribute__((tls_model("initial-exec"))) = false;

// The outermost one, while depth is not 0.
thread_local constinit const ApiFunction* outermost __attribute__((tls_model("initial-exec"))) =
    nullptr;

// Counts the switches seen by this thread: calls during which the hooks were switched off never
// report their end.
thread_local constinit std::uint32_t seen_switched_on __attribute__((tls_model("initial-exec"))) =
    0;

[[gnu::cold]] void begin_anew(std::uint32_t times) noexcept {
  seen_switched_on = times;
  depth = other_depth = 0;
  recorder::forget_calls();
}

// cudaProfilerStart and its kin, as a trigger of the user's plan.
struct ProfilerControl {
  Domain domain;
  std::uint32_t id;
  bool on;
};
constexpr ProfilerControl kProfilerControls[] = {{Domain::runtime, kRuntimeProfilerStart, true},
                                                 {Domain::runtime, kRuntimeProfilerStop, false},
                                                 {Domain::driver, kDriverProfilerStart, true},
                                                 {Domain::driver, kDriverProfilerStop, false}};

bool is_profiler_control(Domain domain, std::uint32_t id) noexcept {
  return std::any_of(std::begin(kProfilerControls), std::end(kProfilerControls),
                     [&](const ProfilerControl& c) { return c.domain == domain && c.id == id; });
}

[[gnu::cold]] void on_profiler_control(Domain domain, std::uint32_t id,
                                       const CallbackData& call) noexcept {
  if (!options.profiler_control) return;
  for (const ProfilerControl& control : kProfilerControls) {
    const bool is_it = control.domain == domain && control.id == id;
    if (is_it && (call.site == 0) != control.on) recorder::trigger_capture(control.on);
  }
}

// Records an unlisted call, if it is the outermost and inside no listed one. It gets no correlation
// id: what a listed call inside it launches belongs to that call.
void on_other_call(Domain domain, std::uint32_t id, bool entry) noexcept {
  if (entry) {
    if (other_depth++ == 0 && depth == 0 && recorder::is_armed())
      recorder::begin_call(call_code(domain, id), kind_of_call(domain), site_of_call(), 0,
                           recorder::kNoStream, 0);
  } else if (other_depth > 0 && --other_depth == 0 && depth == 0) {
    recorder::end_range(recorder::kLaneCall);
  }
}

// Records a listed call, if it is the outermost.
[[gnu::hot]] void on_call(Domain domain, std::uint32_t id, const CallbackData& call) noexcept {
  const ApiFunction* function = function_of(domain, id);
  if (function == nullptr) return on_profiler_control(domain, id, call);
  if (is_own_thread || answer.load(std::memory_order_relaxed) == Answer::nothing) [[unlikely]]
    return;
  const std::uint32_t times = times_switched_on.load(std::memory_order_relaxed);
  if (times != seen_switched_on) [[unlikely]]
    begin_anew(times);
  if (!is_listed(*function)) return on_other_call(domain, id, call.site == 0);
  if (call.site == 0) {
    if (depth++ != 0) return;
    outermost = function;
    if (recorder::is_armed()) on_entry(*function, id, call);
  } else if (depth > 0 && --depth == 0) {
    recorder::end_range(recorder::kLaneCall);
  }
}

void on_resource(std::uint32_t id, const ResourceData& data) noexcept {
  on_graph_callback(id, data, depth > 0 ? outermost : nullptr);
  if (id == kStreamDestroyStarting) streams.forget_everywhere(data.stream);
  // Ends the calls that the context's end interrupts; they never report their own end.
  if (id == kContextDestroyStarting) {
    depth = other_depth = 0;
    while (recorder::open_ranges(recorder::kLaneCall) > 0) recorder::end_range(recorder::kLaneCall);
  }
}

// Unknown ids (a CUPTI older than the function) are no error.
void enable_one(Subscriber subscriber, const ApiFunction& function) noexcept {
  for (const std::uint16_t id : function.ids) {
    if (id == 0 || id >= kIds) continue;
    functions_of(function.domain)[id] = &function;
    recorder::name_call(call_code(function.domain, id), function.name);
    if (!is_recorded(function, options.level) || !options.parts.calls) continue;
    (void)loaded_library.enable_callback(1, subscriber, static_cast<std::uint32_t>(function.domain),
                                         id);
  }
}

// Enables the unlisted calls, after the listed ones.
void enable_others(Subscriber subscriber, const ApiFunction& other) noexcept {
  if (loaded_library.callback_name == nullptr)
    return recorder::note("this libcupti does not name its calls: level deep adds none");
  for (std::uint32_t id = 1; id < kIds; ++id) {
    const ApiFunction*& function = functions_of(other.domain)[id];
    if (function != nullptr || is_profiler_control(other.domain, id)) continue;
    const CallName name = call_name(loaded_library, other.domain, id);
    if (name[0] == '\0' || is_noise(name.data())) continue;
    function = &other;
    recorder::name_call(call_code(other.domain, id), name.data());
    (void)loaded_library.enable_callback(1, subscriber, static_cast<std::uint32_t>(other.domain),
                                         id);
  }
}

}  // namespace

[[gnu::hot]] void on_callback(void* /*user*/, std::uint32_t domain, std::uint32_t id,
                              const void* data) {
  call_guest(domain, id, data);
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
  loaded_library = found;
  options = wanted;
  own_subscriber = subscriber;
  if (!wanted.parts.lines) options.call_site = nullptr, options.autograd_counter = nullptr;
  if (!wanted.parts.streams)
    loaded_library.stream_id = [](void*, void*, std::uint8_t, std::uint32_t*) {
      return kInvalidParameter;
    };
  for (const ApiFunction& function : api_functions()) {
    const bool in_a_layer = wanted.layers && function.level <= wanted.level;
    if (in_a_layer || is_recorded(function, wanted.level)) enable_one(subscriber, function);
  }
  if (wanted.level == Level::deep && wanted.parts.calls) {
    for (const ApiFunction* other : {&kOtherRuntime, &kOtherDriver})
      enable_others(subscriber, *other);
  }
  if (wanted.profiler_control) {
    for (const ProfilerControl& control : kProfilerControls)
      (void)loaded_library.enable_callback(1, subscriber,
                                           static_cast<std::uint32_t>(control.domain), control.id);
  }
  for (const std::uint32_t id : {kStreamDestroyStarting, kContextDestroyStarting}) {
    if (!wanted.parts.resources) continue;
    (void)loaded_library.enable_callback(1, subscriber,
                                         static_cast<std::uint32_t>(Domain::resource), id);
  }
  if (wanted.level != Level::light && wanted.parts.graph_nodes && !wanted.whole_graphs)
    enable_graph_hooks(loaded_library, subscriber, options);
  if (!wanted.parts.state) return kSuccess;
  return loaded_library.enable_domain(1, subscriber, static_cast<std::uint32_t>(Domain::state));
}

void switch_hooks(bool on) noexcept {
  switch_hooks(on, options.level, Answer::whole);
}

void switch_hooks(bool on, Level level, Answer wanted) noexcept {
  answer.store(wanted, std::memory_order_relaxed);
  hooks_on.store(on, std::memory_order_relaxed);
  if (on) times_switched_on.fetch_add(1, std::memory_order_relaxed);
  for (const Domain domain : {Domain::runtime, Domain::driver}) {
    for (std::uint32_t id = 1; id < kIds; ++id) {
      const ApiFunction* function = functions_of(domain)[id];
      if (function == nullptr || (on && !(options.parts.calls && is_recorded(*function, level))))
        continue;
      if (!on && instantiates_graphs(*function)) continue;
      const auto number = static_cast<std::uint32_t>(domain);
      if (on || !is_wanted_by_guest(number, id))
        (void)loaded_library.enable_callback(on ? 1 : 0, own_subscriber, number, id);
    }
  }
}

void leave_out_this_thread() noexcept {
  is_own_thread = true;
}

std::uint32_t take_launch() noexcept {
  return launch.exchange(0, std::memory_order_relaxed);
}

std::uint32_t last_graph_launch() noexcept {
  return graph_launch.load(std::memory_order_relaxed);
}

bool is_hooked(std::uint32_t domain, std::uint32_t id) noexcept {
  switch (static_cast<Domain>(domain)) {
    case Domain::runtime:
    case Domain::driver:
      return hooks_on.load(std::memory_order_relaxed) &&
             function_of(static_cast<Domain>(domain), id) != nullptr;
    case Domain::resource:
      return id == kStreamDestroyStarting || id == kContextDestroyStarting ||
             (takes_graph_nodes() && (id == kGraphNodeCreated || id == kGraphNodeCloned));
    case Domain::state:
      return true;
  }
  return false;
}

bool has_failed() noexcept {
  return failed.load(std::memory_order_relaxed);
}

}  // namespace stepscope::cupti
