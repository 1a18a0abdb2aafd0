// SPDX-License-Identifier: Apache-2.0
#include "tests/simulator/program.hpp"

#include "tests/simulator/random.hpp"

namespace stepscope::simulator {
namespace {

class Writer {
 public:
  Writer(std::uint64_t seed, bool with_waits) : random_(seed), with_waits_(with_waits) {
    streams_ = 1 + random_.below(3);
    kernel_ns_ = random_.between(3, 60) * us;
    host_ns_ = random_.between(2, 40) * us;
    call_ns_ = random_.between(3 * us, 7 * us);
  }

  Program write() {
    Program out;
    const std::uint32_t pieces = 4 + random_.below(30);
    for (std::uint32_t i = 0; i < pieces; ++i) piece();
    if (random_.chance(0.5)) backward();
    out.step = std::move(list_);
    list_.clear();
    out.steps = 4 + random_.below(5);
    out.ends_with_run = random_.chance(0.3);
    out.noise = 0.005 + random_.unit() * 0.05;
    out.recording = {random_.chance(0.5), random_.chance(0.7), random_.chance(0.6)};
    // What an independent thread does between its calls is only known where its ops are recorded.
    if (out.recording.ops && random_.chance(0.35)) out.side = side_loop();
    return out;
  }

 private:
  void add(Act act, std::int64_t host, std::int64_t device = 0, std::uint32_t stream = 0,
           std::uint32_t event = 0, std::uint32_t count = 1) {
    list_.push_back({act, host, device, stream, event, count});
  }
  std::int64_t host() { return 1 * us + random_.between(0, 2 * host_ns_); }
  std::int64_t call() { return random_.between(call_ns_ * 9 / 10, call_ns_ * 11 / 10); }
  std::int64_t kernel() { return 1 * us + random_.between(0, 2 * kernel_ns_); }
  std::uint32_t stream() { return random_.below(streams_); }

  void piece() {
    switch (random_.below(10)) {
      case 0:
        return add(Act::python, host());
      case 1:
        return copies();
      case 2:
        return with_waits_ ? waits() : op();
      case 3:
        return events();
      case 4:
        return rare();
      default:
        return op();
    }
  }

  void op() {
    add(Act::op_begin, 0);
    const std::uint32_t launches = 1 + random_.below(4);
    for (std::uint32_t i = 0; i < launches; ++i) {
      add(Act::framework, host());
      add(random_.chance(0.05) ? Act::collective : Act::launch, call(), kernel(), stream());
    }
    add(Act::framework, host());
    add(Act::op_end, 0);
  }

  void copies() {
    const std::int64_t device = random_.between(1 * us, 40 * us);
    const std::uint32_t copy_stream = random_.chance(0.5) ? 3 : stream();
    if (!with_waits_ || random_.chance(0.6)) {
      static constexpr Act kAsync[] = {Act::copy_pinned_h2d, Act::copy_pinned_d2h, Act::set};
      return add(kAsync[random_.below(3)], call(), device, copy_stream);
    }
    // Pageable uploads have a stream of their own, so that no wait for other work hides in the
    // call.
    if (random_.chance(0.5)) return add(Act::copy_pageable_h2d, call(), device + 18 * us, 4);
    add(random_.chance(0.7) ? Act::copy_pageable_d2h : Act::memcpy_blocking, call(), device,
        stream());
  }

  void waits() {
    static constexpr Act kWaits[] = {Act::sync_stream, Act::sync_device, Act::sync_event};
    const Act act = kWaits[random_.below(3)];
    if (act == Act::sync_event) add(Act::event_record, us / 2, 0, stream(), 1);
    if (random_.chance(0.5)) add(Act::python, host());
    add(act, 1 * us, 0, stream(), 1);
  }

  void events() {
    add(Act::event_record, us / 2, 0, stream(), 2);
    add(Act::stream_wait_event, us / 2, 0, stream(), 2);
    add(Act::launch, call(), kernel(), stream());
  }

  void rare() {
    switch (random_.below(5)) {
      case 0:
        return add(Act::graph, call(), 1 * us + kernel() / 4, stream(), 0, 2 + random_.below(12));
      case 1:
        return add(Act::alloc, random_.between(5 * us, 60 * us));
      case 2:
        return add(Act::query, 1 * us);
      case 3:
        return add(Act::cpu_op, host());
      default:
        return with_waits_ ? add(Act::data_wait, 0, random_.between(200 * us, 2000 * us)) : op();
    }
  }

  // Nodes with their own launches on the worker; gaps between them are the engine's.
  void backward() {
    add(Act::hand_off, random_.between(100, 800));
    const std::uint32_t nodes = 2 + random_.below(8);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      if (i > 0) add(Act::framework, random_.between(1 * us, 4 * us));
      add(Act::node_begin, 0);
      add(Act::framework, host());
      op();
      add(Act::framework, host());
      add(Act::node_end, 0);
    }
    add(Act::hand_back, random_.between(100, 800));
  }

  std::vector<Action> side_loop() {
    add(Act::op_begin, 0);
    for (int i = 0; i < 3; ++i) {
      add(Act::framework, random_.between(20 * us, 400 * us));
      add(random_.chance(0.5) ? Act::copy_pinned_h2d : Act::launch, call(), kernel(), 5);
    }
    add(Act::framework, random_.between(20 * us, 400 * us));
    add(Act::op_end, 0);
    return std::move(list_);
  }

  Random random_;
  bool with_waits_;
  std::uint32_t streams_;
  std::int64_t kernel_ns_;
  std::int64_t host_ns_;
  std::int64_t call_ns_;  // a machine's launch calls cost much the same
  std::vector<Action> list_;
};

bool is_device_work(Act act) {
  return act >= Act::launch && act <= Act::memcpy_blocking;
}

// A launch-bound stretch long enough to fill the queue of launches.
void flood(Program& program) {
  for (int i = 0; i < 2200; ++i) program.step.push_back({Act::launch, 4 * us, 11 * us, 0});
  program.steps = 3;
}

}  // namespace

Program random_program(std::uint64_t seed) {
  if (seed % 3 == 0) return balanced_program(seed);
  Program program = Writer(seed, true).write();
  if (seed % 100 == 1) flood(program);
  return program;
}

Program balanced_program(std::uint64_t seed) {
  Program program = Writer(seed, false).write();
  program.side.clear();
  std::int64_t host = 0;
  std::int64_t device = 0;
  for (Action& action : program.step) {
    host += action.host_ns;
    action.stream = 0;
    if (is_device_work(action.act)) device += (action.device_ns + us) * action.count;
  }
  Random random(seed + 1'000'000);
  const double target = static_cast<double>(host) * (0.97 + 0.06 * random.unit());
  const double scale = device > 0 ? target / static_cast<double>(device) : 1;
  for (Action& action : program.step) {
    action.device_ns = static_cast<std::int64_t>(static_cast<double>(action.device_ns) * scale);
  }
  return program;
}

}  // namespace stepscope::simulator
