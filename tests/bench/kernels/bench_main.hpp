// SPDX-License-Identifier: Apache-2.0
// What a program here is made of: cases, and the ways that take their turns at each. bench_main
// makes each a Google Benchmark program CASE/WAY whose times are the device's, with a cold L2 as a
// rule (cold_timer.hpp), and whose counters the table shows (table_reporter.hpp).
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/status.hpp"
#include "tests/bench/kernels/yardsticks.hpp"

namespace stepscope::kernels {

inline void expect_ok(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

struct Judgement {
  bool sound = true;
  std::string note;
};

struct Work {
  double bytes = 0;  // bytes that must be moved
  Enqueue enqueue;
  Enqueue before = enqueue_nothing;  // ahead of each, untimed
  bool cold = true;                  // else the L2 holds what `before` left there
  std::function<void()> spoil;       // an older answer, ahead of the call that is judged
  std::function<Judgement()> judge;  // the last call's answer
  int calls = 1;                     // the last of so many is judged
};

class Turn {
 public:
  // Judged, then timed where the answer is sound.
  virtual void take(const Work& work) = 0;

 protected:
  ~Turn() = default;
};

// A case's memory on the device: made for the first of its ways that runs, gone when another
// case's is.
class CaseMemory {
 public:
  virtual ~CaseMemory() = default;
  virtual std::string note() const { return {}; }   // printed below the case's name
  virtual Readable readable() const { return {}; }  // for Yardstick::best_read
};

struct Way {
  std::string name;
  std::function<void(CaseMemory&, Turn&)> run;  // takes the turn
  bool graph = false;                           // timed a second time as one replay of a graph
  bool peer = false;                            // another's kernel: not run by --once

  Way with_graph() const {
    Way both = *this;
    both.graph = true;
    return both;
  }
};

// run(memory, turn), or a member of Memory as run.
template <class Memory, class Run>
Way way(std::string name, Run run) {
  return {std::move(name), [run](CaseMemory& memory, Turn& turn) {
            std::invoke(run, static_cast<Memory&>(memory), turn);
          }};
}

struct BenchCase {
  std::string name;
  std::function<std::unique_ptr<CaseMemory>(cudaStream_t)> make;
  std::vector<Way> ways;
};

// Memory(case, stream) for each, and ways(case).
template <class Memory, class Cases, class Ways>
std::vector<BenchCase> bench_cases(const Cases& cases, Ways ways) {
  std::vector<BenchCase> all;
  for (const auto& c : cases)
    all.push_back({c.name, [c](cudaStream_t stream) { return std::make_unique<Memory>(c, stream); },
                   ways(c)});
  return all;
}

// best_read: the read-only kernels are ways of each case, its first.
enum class Yardstick { best_read, copy_rate };

struct BenchProgram {
  std::string about;
  std::size_t repetitions;  // where the command line names none
  Yardstick yardstick;
  std::vector<BenchCase> cases;
};

// The exit status, as --help says.
int bench_main(int argc, char** argv, const BenchProgram& program);

}  // namespace stepscope::kernels
