// SPDX-License-Identifier: Apache-2.0
// Processes that select together, on CPUs or with a GPU each: that their masks are those of one
// rank, bit for bit, and how long a selection takes.
//
//   selection_over_ranks cpu|cuda RANKS [ROWS LAYERS FEATURES K]
#include <ATen/Parallel.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "reference_trainers/clt/selection/sharded_selection.hpp"
#include "reference_trainers/comm/group.hpp"
#include "reference_trainers/comm/local_ranks.hpp"
#include "reference_trainers/common/device.hpp"
#include "tests/reference_trainers/clt/selection/spread_preactivations.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::clt;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::unique_ptr<ShardedSelection> make(trainers::Comm& comm, const Spread& spread,
                                       at::Device device) {
  if (!device.is_cuda()) return make_host_selection(comm, spread);
  auto made = make_kernel_selection(comm, spread);
  if (made == nullptr) throw std::runtime_error("this build has no CUDA kernels");
  return made;
}

constexpr int kTurns = 6;

double milliseconds_of(ShardedSelection& selection, const at::Tensor& own, trainers::Comm& comm) {
  constexpr int kTimes = 20;
  comm.barrier();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) (void)selection.mask(own);
  comm.barrier();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
             .count() /
         kTimes;
}

// As training goes on: preactivations that move a little, then a lot, then a little. Those of few
// different values leap alone.
class Turns {
 public:
  Turns(const WholeBatch& whole, bool normal, at::Device device)
      : before_(made_preactivations(whole, 7, normal).to(device)),
        after_(made_preactivations(whole, 8, normal).to(device)) {
    if (normal) drift_ = made_preactivations(whole, 9, true).to(device);
  }
  at::Tensor at(int turn) const {
    const at::Tensor& of = turn < kTurns / 2 ? before_ : after_;
    return drift_.defined() ? of.add(drift_, 0.01 * turn) : of;
  }

 private:
  at::Tensor before_, after_, drift_;
};

bool equal_on_all(trainers::Comm& comm, at::Device device, const WholeBatch& whole, Parallel by,
                  bool normal, std::int64_t k) {
  trainers::SingleComm single;
  const Spread spread{by, whole.layers, whole.rows, k * whole.rows};
  const auto alone = make(single, spread, device);
  const auto selection = make(comm, spread, device);
  const Turns turns(whole, normal, device);
  at::Tensor expected, own;
  bool equal = true;
  for (int turn = 0; turn < kTurns; ++turn) {
    const at::Tensor all = turns.at(turn);
    expected = alone->mask(all);
    own = part_of(all, whole, by, comm.rank(), comm.size());
    equal &= selection->mask(own).equal(part_of(expected, whole, by, comm.rank(), comm.size()));
  }
  const at::Tensor agreed = at::full({1}, equal ? 1 : 0, at::kInt).to(device);
  comm.all_reduce(agreed, trainers::Reduction::min);
  const bool all_equal = agreed.item<int>() == 1;
  const double milliseconds = milliseconds_of(*selection, own, comm);
  if (comm.rank() == 0)
    std::printf("%d ranks by %s, %s keys, %lld x %lld, %lld selected: masks %s, %.3f ms\n",
                comm.size(), by == Parallel::features ? "features" : "rows",
                normal ? "normal" : "equal", static_cast<long long>(whole.rows),
                static_cast<long long>(whole.columns()),
                static_cast<long long>(expected.sum().item<std::int64_t>()),
                all_equal ? "equal" : "DIFFER", milliseconds);
  return all_equal;
}

int run_rank(int count, char** arguments) {
  const auto environment = must(trainers::rank_environment());
  const bool cuda = std::string(arguments[1]) == "cuda";
  const auto chosen = must(trainers::choose_device(
      cuda ? trainers::DeviceWish::cuda : trainers::DeviceWish::cpu, environment->local_rank));
  at::set_num_threads(1);
  const auto comm =
      must(trainers::join_group(environment, chosen.device, std::chrono::seconds(60)));
  WholeBatch whole{.rows = 64, .layers = 3, .features = 101};
  std::int64_t k = 9;
  if (count > 6)
    whole = {std::atoll(arguments[3]), std::atoll(arguments[4]), std::atoll(arguments[5])},
    k = std::atoll(arguments[6]);
  bool good = true;
  for (const bool normal : {true, false}) {
    good &= equal_on_all(*comm, chosen.device, whole, Parallel::features, normal, k);
    // Sums of few small integers are exact in any order; those of other rows are not.
    if (!normal) good &= equal_on_all(*comm, chosen.device, whole, Parallel::data, normal, k);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 3 && count != 7) {
      std::fprintf(stderr, "usage: %s cpu|cuda RANKS [ROWS LAYERS FEATURES K]\n", arguments[0]);
      return 2;
    }
    if (std::getenv("RANK") != nullptr) return run_rank(count, arguments);
    const auto say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    return must(trainers::run_local_ranks(std::atoi(arguments[2]), arguments, say));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
