// SPDX-License-Identifier: Apache-2.0
// The library that the Python tests load by ctypes: our call sites behind a C interface, with a
// fake recorder. PyDLL calls it holding the GIL, CDLL without.
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "collectors/python_frames/bytecode.hpp"
#include "collectors/python_frames/handlers.hpp"
#include "collectors/python_frames/known_code.hpp"
#include "collectors/python_frames/line_table.hpp"
#include "collectors/python_frames/python_call_site.hpp"
#include "tests/collectors/fake_recorder/fake_recorder.hpp"

#define PROBE extern "C" __attribute__((visibility("default")))

namespace {

using namespace stepscope;

void write_site(recorder::SiteRef reference, char* out, std::size_t size) {
  const auto site = fake_recorder::site(reference);
  std::snprintf(out, size, "%s:%u:%s", site.file.c_str(), site.line, site.function.c_str());
  if (reference == 0) out[0] = 0;
}

template <typename Work>
const char* on_new_thread(Work work) {
  static std::string text;
  std::thread([&] { text = work(); }).join();
  return text.c_str();
}

template <typename T>
T symbol(const char* name) {
  return reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

// "file:line:function", or "" where no site was found. Valid until the thread's next call.
PROBE const char* probe_site() {
  thread_local char text[4096];
  write_site(python_call_site(), text, sizeof text);
  return text;
}

PROBE void probe_call(void (*callback)()) {
  callback();
}

// Sites as seen from a new thread. Call them without the GIL.
PROBE const char* probe_foreign_thread() {
  return on_new_thread([] { return std::string(probe_site()); });
}

// As a worker of autograd: the thread has a Python state, but runs no Python; with and without the
// GIL.
PROBE const char* probe_worker_thread() {
  return on_new_thread([] {
    const auto ensure = symbol<int (*)()>("PyGILState_Ensure");
    const auto release = symbol<void (*)(int)>("PyGILState_Release");
    const auto save = symbol<void* (*)()>("PyEval_SaveThread");
    const auto restore = symbol<void (*)(void*)>("PyEval_RestoreThread");
    if (ensure == nullptr || release == nullptr || save == nullptr || restore == nullptr) {
      return std::string("no symbol");
    }
    const int state = ensure();
    std::string seen = probe_site();
    void* thread = save();
    seen += probe_site();
    restore(thread);
    release(state);
    return seen + probe_site();
  });
}

PROBE double probe_nanoseconds(long calls) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t sum = 0;
  for (long i = 0; i < calls; ++i) sum += python_call_site();
  const auto end = std::chrono::steady_clock::now();
  return sum == 0 ? -1
                  : std::chrono::duration<double, std::nano>(end - begin).count() /
                        static_cast<double>(calls);
}

PROBE void probe_lines(int format, const unsigned char* table, std::size_t size, int first_line,
                       int* lines, std::size_t units) {
  using LineOf = int (*)(const unsigned char*, std::size_t, int, std::size_t) noexcept;
  constexpr LineOf kFormats[] = {python::line_of_unit, python::line_of_unit_310,
                                 python::line_of_unit_39};
  for (std::size_t unit = 0; unit < units; ++unit)
    lines[unit] = kFormats[format](table, size, first_line, unit);
}

// Loops as triples (begin, end, whether it has an iterator); -1: not known.
PROBE int probe_loops(int minor, const std::uint16_t* units, std::size_t size, std::uint32_t* out) {
  std::array<python::CodeLoop, python::kMostCodeLoops> loops;
  const std::size_t count =
      python::find_code_loops(static_cast<unsigned>(minor), {units, size}, loops);
  if (count == python::kUnknownLoops) return -1;
  for (std::size_t i = 0; i < count; ++i) {
    out[3 * i] = loops[i].begin;
    out[3 * i + 1] = loops[i].end;
    out[3 * i + 2] = loops[i].has_iterator ? 1 : 0;
  }
  return static_cast<int>(count);
}

// Handlers as (begin, end, guards_begin, guards_end).
PROBE int probe_handlers(const unsigned char* table, std::size_t size, std::size_t units,
                         std::uint32_t* out) {
  std::array<python::Handler, python::kMostHandlers> handlers;
  const python::Handlers found = python::find_handlers({table, size}, units, handlers);
  for (const python::Handler& one : std::span(handlers).first(found.count)) {
    for (const std::uint16_t unit : {one.begin, one.end, one.guards_begin, one.guards_end})
      *out++ = unit;
  }
  return static_cast<int>(found.count);
}

PROBE int probe_source_kind(const char* path) {
  return static_cast<int>(python::source_kind(path));
}

PROBE void probe_count_as_users(const char* packages) {
  python::count_as_users(packages);
}

PROBE unsigned long probe_found() {
  return fake_recorder::lookups_found();
}
PROBE unsigned long probe_missed() {
  return fake_recorder::lookups_missed();
}

// Writes the loop positions reported since the last call, a line each: depth, flags, the loop's
// line, the caller's line, iteration.
PROBE void probe_positions(char* out, std::size_t size) {
  std::string all;
  for (const auto& position : fake_recorder::take_loop_positions()) {
    const auto loop = fake_recorder::site(position.loop);
    all += std::to_string(position.depth) + " " + std::to_string(position.flags) + " " +
           std::to_string(loop.line) + " " +
           std::to_string(fake_recorder::site(position.caller).line) + " " +
           std::to_string(position.iteration) + "\n";
  }
  std::snprintf(out, size, "%s", all.c_str());
}

// All notes and facts so far, a line each.
PROBE void probe_remarks(char* out, std::size_t size) {
  std::string all;
  for (const auto& event : fake_recorder::events()) all += event.name + "\n";
  std::snprintf(out, size, "%s", all.c_str());
}
