// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/startup.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

#include "collectors/cupti/collector.hpp"
#include "collectors/host_sampler/host_sampler.hpp"
#include "collectors/inject/process_facts.hpp"
#include "collectors/inject/settings.hpp"
#include "collectors/native_frames/native_call_site.hpp"
#include "collectors/nvml/sampler.hpp"
#include "collectors/pm_sampling/pm_source.hpp"
#include "collectors/python_frames/known_code.hpp"
#include "collectors/python_frames/python_call_site.hpp"
#include "collectors/record_function/autograd_numbers.hpp"
#include "collectors/record_function/record_function.hpp"
#include "collectors/recorder/capture/capture.hpp"
#include "collectors/recorder/process_state.hpp"
#include "collectors/torch_memory/memory_reports.hpp"

namespace stepscope::inject {
namespace {

constinit Settings settings;
constinit std::atomic<int> started{0};  // 1: starting, 2: done
constinit std::atomic<bool> found_torch{false};
constinit std::atomic<bool> cuda_started{false};
constinit std::atomic<bool> found_xla{false};
// Leaked: their threads may run until the end.
constinit nvml::Sampler* sampler = nullptr;
constinit pm::PmSource* counters = nullptr;
constinit pid_t collecting_pid = 0;  // forked children end by _exit too
constinit pid_t selected_pid = 0;    // the process that was started, not forked
constinit bool main_returned = false;

// Registered before the program's own handlers, so it runs behind them. In a forked child the
// recorder is armed anew and has nothing unless the child itself recorded.
void on_process_exit(int status, void* /*unused*/) {
  recorder::finish(main_returned ? ExitReason::returned : ExitReason::exited, status);
}

// Listens for the signal, unless the program has taken it for itself; if it does so later, our
// handler is gone.
void listen_for_signal() {
  struct sigaction before {};
  if (settings.capture_signal == 0 || sigaction(settings.capture_signal, nullptr, &before) != 0)
    return;
  if (before.sa_handler != SIG_DFL)
    return recorder::note("--capture-signal: the program uses this signal itself");
  struct sigaction ours {};
  ours.sa_handler = [](int) { recorder::toggle_capture_soon(); };
  ours.sa_flags = SA_RESTART;
  if (sigaction(settings.capture_signal, &ours, nullptr) != 0)
    recorder::note("--capture-signal: the signal cannot be caught");
}

// Whether Python's multiprocessing started this process as a worker without a fork.
bool is_spawned_by_multiprocessing() noexcept {
  const CommandLine& command = read_command_line();
  const auto end = command.argv.begin() + command.argc;
  return std::find(command.argv.begin(), end, std::string_view("--multiprocessing-fork")) != end;
}

// Called in the process that opens a session, also a forked child that records. Leaked like the
// others.
void on_session_open() noexcept {
  record_process_facts();
  if (!samples_threads()) return;
  auto* made = new (std::nothrow) host_sampler::HostSampler(
      host_sampler::Options{.period_us = settings.sample_us,
                            .whose = getpid() == selected_pid && !is_spawned_by_multiprocessing()
                                         ? host_sampler::Whose::own
                                         : host_sampler::Whose::maybe_worker});
  if (made != nullptr && recorder::add_row_source(made)) (void)made->start();
}

recorder::SiteRef python_or_native_call_site() noexcept {
  const recorder::SiteRef site = python_call_site();
  return site != 0 ? site : native_call_site();
}

using CallSite = recorder::SiteRef (*)() noexcept;
CallSite call_site() noexcept {
  if (settings.level == Level::light) return nullptr;
  return settings.native_lines ? python_or_native_call_site : python_call_site;
}

void start_selected() {
  selected_pid = getpid();
  recorder::Settings wanted{settings.output};
  wanted.ring_slots = settings.ring_slots;
  wanted.flush_ms = settings.flush_ms;
  wanted.on_open = on_session_open;
  if (!recorder::start(wanted)) return;
  recorder::plan_capture(settings.capture, settings.capture_range);
  listen_for_signal();
  on_exit(on_process_exit, nullptr);
  if (const char* rival = std::getenv("STEPSCOPE_RIVAL")) recorder::fact("rival", rival);
  if (settings.level == Level::deep) enable_memory_reports();
  if (settings.native_lines && settings.level != Level::light) init_native_call_sites();
  look_for_libraries();
}

void sample_device(const Device& device) noexcept {
  if (sampler != nullptr) sampler->add_device(device);
  if (counters != nullptr) counters->add_device(device.index);
}

// CUPTI that is asked for its records while XLA launches and changes its graphs breaks the program.
void spare_xla() noexcept {
  if (found_xla.load(std::memory_order_relaxed) || !has_xla() || found_xla.exchange(true)) return;
  cupti::stop_asking_for_records();
  recorder::fact("device_records", "from full buffers and at the end, XLA is in the process");
}

void start_sampler() {
  if (settings.nvml_ms == 0) return;
  auto* made = new (std::nothrow) nvml::Sampler({.period_ms = settings.nvml_ms});
  if (made != nullptr && recorder::add_row_source(made)) sampler = made;
}

void start_counters() {
  if (settings.pm_us == 0) return;
  const cupti::FoundLibrary cupti = cupti::find_library();
  if (!cupti.usable) return;  // said by who looks for it first of all
  const pm::FoundLibrary found = pm::find_library(cupti.path.data());
  if (found.missing != nullptr)
    return recorder::note(
        "hardware counters: this libcupti has no PM sampling, which CUDA 12.6 has");
  auto* made = new (std::nothrow) pm::PmSource(found.functions, {.interval_us = settings.pm_us});
  if (made != nullptr && recorder::add_row_source(made)) counters = made;
}

// The sampler first: what it still gives is collected with the last device records.
void stop_device_collection() {
  constexpr int kMilliseconds = 2000;
  if (sampler != nullptr) (void)sampler->stop(kMilliseconds);
  recorder::stop_row_sources(recorder::kFinishSeconds);
}

}  // namespace

void start_collectors() noexcept {
  int none = 0;
  if (!started.compare_exchange_strong(none, 1)) return;
  settings = settings_from_environment();
  const CommandLine& command = read_command_line();
  if (settings.output != nullptr && settings.output[0] == '/' &&
      is_selected(settings.only, name_of_program(command.argc, command.argv.data()).data())) {
    python::count_as_users(settings.lines_in);
    start_selected();
  }
  started = 2;
}

void look_for_libraries() noexcept {
  if (!recorder::is_armed() || settings.bare_cupti != cupti::Bare::no ||
      found_torch.load(std::memory_order_relaxed))
    return;
  RecordFunctionOptions options;
  options.ops = settings.ops;
  options.empty = settings.empty_callbacks;
  options.layers = settings.window_layers;
  options.call_site = call_site();
  options.python_frame = python_frame;
  if (!enable_record_function(options) || found_torch.exchange(true)) return;
  record_python_version();
  if (options.call_site != nullptr && !options.empty) init_python_call_sites();
}

void look_for_xla() noexcept {
  if (cuda_started.load(std::memory_order_relaxed) && recorder::is_armed()) spare_xla();
}

bool found_a_framework() noexcept {
  return found_torch.load(std::memory_order_relaxed) ||
         cuda_started.load(std::memory_order_relaxed);
}

bool samples_threads() noexcept {
  const bool measures = settings.empty_callbacks || settings.bare_cupti != cupti::Bare::no;
  return settings.sample_us != 0 && settings.level != Level::light && !measures;
}

void on_cuda_start() noexcept {
  start_collectors();
  if (!recorder::is_armed() || cuda_started.exchange(true)) return;
  recorder::fact("cuda", "initialised");
  cupti::Options options;
  options.bare = settings.bare_cupti;
  options.layers = options.hooks.layers = settings.window_layers;
  options.hooks.level = settings.level;
  options.hooks.parts = settings.parts;
  options.flush_ms = settings.device_flush_ms;
  options.flushes = settings.device_flush_ms != 0;
  options.hooks.whole_graphs = settings.graphs_whole;
  if (settings.graphs_whole) recorder::fact("cuda_graphs", "whole");
  spare_xla();
  options.hooks.profiler_control = settings.profiler_control;
  options.hooks.call_site = call_site();
  options.hooks.autograd_counter = settings.level == Level::light ? nullptr : changed_sequence;
  options.on_device = sample_device;
  if (options.bare == cupti::Bare::no) {
    start_sampler();
    start_counters();
  }
  // Later than the driver's own handlers were registered, so it runs before them.
  if (!cupti::start_collector(options)) return;
  collecting_pid = getpid();
  std::atexit(stop_device_collection);
}

void on_program_control(bool on) noexcept {
  if (settings.profiler_control && recorder::is_armed()) recorder::trigger_capture(on);
}

void on_quick_exit() noexcept {
  constexpr int kSeconds =
      2;  // it may come from a signal handler, on top of a lock that the writer needs
  if (collecting_pid != 0 && collecting_pid == getpid()) recorder::stop_row_sources(kSeconds);
}

void on_main_returned() noexcept {
  main_returned = true;
}

}  // namespace stepscope::inject
