// SPDX-License-Identifier: Apache-2.0
// The sampler's readers for Python's ctypes: sampler_test.py calls them in a running interpreter.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collectors/host_sampler/loop_counts.hpp"
#include "collectors/host_sampler/process_memory.hpp"
#include "collectors/host_sampler/python_state.hpp"
#include "collectors/host_sampler/sampled_place.hpp"
#include "collectors/host_sampler/thread_clock.hpp"
#include "collectors/python_frames/python_call_site.hpp"
#include "tests/collectors/fake_recorder/fake_recorder.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::host_sampler;

struct Reader {
  ProcessMemory memory{getpid()};
  PythonState python{memory};
  std::unique_ptr<CodeTable> codes;

  bool ready() {
    if (!memory.works(reinterpret_cast<Address>(this)) || !python.is_ready()) return false;
    if (codes == nullptr) codes = std::make_unique<CodeTable>(python.interpreter());
    return true;
  }
};

Reader& reader() {
  static Reader made;
  return made;
}

std::string text_of(const Place& place) {
  const fake_recorder::Site site = fake_recorder::site(place.site);
  return site.file + ":" + std::to_string(site.line) + " " + site.function + " | " +
         fake_recorder::text(place.called) + " | " + fake_recorder::text(place.innermost) + " | " +
         std::to_string(place.flags);
}

struct Hammer {
  std::atomic<bool> stop{false};
  std::atomic<long> read{0}, torn{0}, nothing{0}, collecting{0}, wrong{0};
  std::vector<std::thread> threads;
  std::mutex lock;
  std::vector<int> tids;
};
Hammer* hammer = nullptr;

// Reads the given threads over and over. A line of a function "line_N" must be line N.
void run_hammer(Hammer& h) {
  Reader own;
  while (!h.stop) {
    if (!own.ready()) continue;
    std::vector<int> tids;
    {
      const std::lock_guard hold(h.lock);
      tids = h.tids;
    }
    for (const int tid : tids) {
      const Address thread = own.python.thread_of(tid, 0);
      if (thread == 0) continue;
      Place place;
      const Reading reading = read_place(own.memory, own.python.interpreter().layout, *own.codes,
                                         thread, Whose::own, place);
      h.collecting += own.python.is_collecting() ? 1 : 0;
      (reading == Reading::torn ? h.torn : reading == Reading::place ? h.read : h.nothing) += 1;
      if (reading != Reading::place) continue;
      const fake_recorder::Site site = fake_recorder::site(place.site);
      int line = 0;
      if (std::sscanf(site.function.c_str(), "line_%d", &line) == 1 &&
          site.line != static_cast<unsigned>(line))
        h.wrong += 1;
    }
  }
}

}  // namespace

extern "C" {

// With the GIL, in a thread with frames: checks the interpreter.
int sampler_begin() {
  (void)python_call_site();
  return reader().ready() ? 1 : 0;
}

int sampler_knows_collector() {
  return reader().python.knows_collector() ? 1 : 0;
}

int sampler_collecting() {
  return reader().python.is_collecting() ? 1 : 0;
}

// 0 nothing, 1 a place, 2 torn, -1 no such thread. With `pid`, of the main thread of a fork of us.
int sampler_look(int tid, int pid, char* out, unsigned long size) {
  Reader& own = reader();
  if (!own.ready()) return -2;
  const ProcessMemory other(pid);
  const Memory& memory = pid == 0 ? static_cast<const Memory&>(own.memory) : other;
  const Address thread =
      pid == 0 ? own.python.thread_of(tid, 0) : own.python.thread_in_fork(other, pid);
  if (thread == 0) return -1;
  Place place;
  const Reading reading = read_place(memory, own.python.interpreter().layout, *own.codes, thread,
                                     pid == 0 ? Whose::own : Whose::maybe_worker, place);
  std::snprintf(out, size, "%s", text_of(place).c_str());
  return static_cast<int>(reading);
}

// "function slots position end", a line for each loop, outermost first. -1: no such thread.
int sampler_loops(int tid, char* out, unsigned long size) {
  Reader& own = reader();
  if (!own.ready()) return -2;
  const Address thread = own.python.thread_of(tid, 0);
  if (thread == 0) return -1;
  LoopCounts loops(own.python.interpreter());
  std::string text;
  const std::span<const LoopCount> found = loops.read(own.memory, *own.codes, thread);
  for (const LoopCount& loop : found)
    text += fake_recorder::text(loop.function) + " " + std::to_string(loop.line) + " " +
            std::to_string(loop.position) + " " + std::to_string(loop.end) + "\n";
  std::snprintf(out, size, "%s", text.c_str());
  return static_cast<int>(found.size());
}

unsigned long sampler_thread_cpu(int tid) {
  return thread_cpu_ns(tid);
}

void sampler_hammer_start(int threads) {
  hammer = new Hammer;
  for (int i = 0; i < threads; ++i) hammer->threads.emplace_back([] { run_hammer(*hammer); });
}

void sampler_hammer_watch(int tid, int on) {
  const std::lock_guard hold(hammer->lock);
  if (on != 0) {
    hammer->tids.push_back(tid);
  } else {
    std::erase(hammer->tids, tid);
  }
}

// read, torn, nothing, collecting, wrong.
void sampler_hammer_counts(long* counts) {
  counts[0] = hammer->read, counts[1] = hammer->torn, counts[2] = hammer->nothing;
  counts[3] = hammer->collecting, counts[4] = hammer->wrong;
}

void sampler_hammer_stop() {
  hammer->stop = true;
  for (std::thread& thread : hammer->threads) thread.join();
}
}
