// SPDX-License-Identifier: Apache-2.0
// The group on NCCL, with functions in NCCL's place that do its work in host memory: what they are
// asked for, and how a failure ends what waits in them.
#include "reference_trainers/comm/nccl_comm.hpp"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::trainers {

// One rank's; a call waits until all ranks have made it.
struct nccl::Communicator {
  int rank = 0, size = 0;
  std::atomic<bool> aborted{false};
};

namespace {

using std::chrono::milliseconds;

constexpr char kId[] = "of rank 0";
std::atomic<int> destroyed{0}, aborted{0};

class Meeting {
 public:
  // Gives its own buffer and sees everyone's; false where it was aborted meanwhile.
  bool exchange(const nccl::Communicator& own, const void* in, std::map<int, const void*>& all) {
    std::unique_lock lock(mutex_);
    const int round = round_;
    buffers_[own.rank] = in;
    if (static_cast<int>(buffers_.size()) == own.size) {
      complete_ = std::exchange(buffers_, {});
      ++round_;
      changed_.notify_all();
    }
    while (round == round_ && !own.aborted) changed_.wait_for(lock, milliseconds(10));
    all = complete_;
    return round != round_;
  }

  // Clears what an aborted call left behind.
  void clear() {
    const std::lock_guard lock(mutex_);
    buffers_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, const void*> buffers_, complete_;
  int round_ = 0;
};
Meeting meeting, leaving;

at::Tensor view_of(const void* data, std::size_t count, nccl::Type type) {
  const at::ScalarType scalar = type == nccl::kFloat32   ? at::kFloat
                                : type == nccl::kFloat64 ? at::kDouble
                                : type == nccl::kInt64   ? at::kLong
                                : type == nccl::kInt32   ? at::kInt
                                                         : at::kByte;
  return at::from_blob(const_cast<void*>(data), {static_cast<std::int64_t>(count)},
                       at::TensorOptions(scalar));
}

nccl::Library fake_library() {
  nccl::Library library{};
  library.get_unique_id = [](nccl::UniqueId* id) {
    std::memcpy(id->bytes, kId, sizeof kId);
    return nccl::kSuccess;
  };
  library.comm_init_rank = [](nccl::Communicator** out, int size, nccl::UniqueId id, int rank) {
    EXPECT_STREQ(id.bytes, kId);
    *out = new nccl::Communicator{rank, size};
    return nccl::kSuccess;
  };
  library.comm_destroy = [](nccl::Communicator* own) {
    delete own;
    ++destroyed;
    return nccl::kSuccess;
  };
  library.comm_abort = [](nccl::Communicator* own) {  // leaked: a call may be using it
    own->aborted = true;
    ++aborted;
    return nccl::kSuccess;
  };
  library.all_reduce = [](const void* in, void* out, std::size_t count, nccl::Type type,
                          nccl::Operation operation, nccl::Communicator* own, CUstream_st*) {
    std::map<int, const void*> all;
    if (!meeting.exchange(*own, in, all)) return nccl::kSuccess;  // as a kernel that was aborted
    std::vector<at::Tensor> views;
    for (const auto& [rank, data] : all) views.push_back(view_of(data, count, type));
    const at::Tensor stacked = at::stack(views);
    const at::Tensor reduced = operation == nccl::kSum
                                   ? stacked.sum(0, false, stacked.scalar_type())
                               : operation == nccl::kMax ? stacked.amax(0)
                                                         : stacked.amin(0);
    if (leaving.exchange(*own, in, all)) view_of(out, count, type).copy_(reduced);
    return nccl::kSuccess;
  };
  library.all_gather = [](const void* in, void* out, std::size_t count, nccl::Type type,
                          nccl::Communicator* own, CUstream_st*) {
    std::map<int, const void*> all;
    if (!meeting.exchange(*own, in, all)) return nccl::kSuccess;
    const at::Tensor to = view_of(out, count * all.size(), type).view({own->size, -1});
    for (const auto& [rank, data] : all) to.select(0, rank).copy_(view_of(data, count, type));
    (void)leaving.exchange(*own, in, all);
    return nccl::kSuccess;
  };
  library.reduce_scatter = [](const void* in, void* out, std::size_t count, nccl::Type type,
                              nccl::Operation, nccl::Communicator* own, CUstream_st*) {
    std::map<int, const void*> all;
    if (!meeting.exchange(*own, in, all)) return nccl::kSuccess;
    const at::Tensor to = view_of(out, count, type).zero_();
    for (const auto& [rank, data] : all)
      to.add_(view_of(data, count * all.size(), type).view({own->size, -1}).select(0, own->rank));
    (void)leaving.exchange(*own, in, all);
    return nccl::kSuccess;
  };
  library.broadcast = [](const void* in, void* out, std::size_t count, nccl::Type type, int root,
                         nccl::Communicator* own, CUstream_st*) {
    std::map<int, const void*> all;
    if (!meeting.exchange(*own, in, all)) return nccl::kSuccess;
    view_of(out, count, type).copy_(view_of(all[root], count, type));
    (void)leaving.exchange(*own, in, all);
    return nccl::kSuccess;
  };
  library.get_error_string = [](nccl::Answer) { return "an error"; };
  return library;
}

// body(Comm&) on each rank; what each threw.
template <class Body>
std::vector<std::string> failures_on_nccl(int size, Body body) {
  destroyed = 0, aborted = 0;
  meeting.clear(), leaving.clear();
  auto links = connected_links(size, milliseconds(60'000));
  std::vector<std::string> failures(links.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < links.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        const auto comm = make_nccl_comm(fake_library(), std::move(links[rank]), size, at::kCPU,
                                         milliseconds(60'000));
        body(*comm);
      } catch (const std::exception& error) {
        failures[rank] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

TEST(NcclComm, AsksForWhatTheTensorsAre) {
  const auto failures = failures_on_nccl(3, [](Comm& comm) {
    for (const auto type : {at::kFloat, at::kDouble, at::kLong, at::kInt, at::kByte}) {
      const auto reduced = [&](Reduction reduction) {
        const at::Tensor all = at::full({5}, comm.rank() + 1, type);
        comm.all_reduce(all, reduction);
        return all.select(0, 4).item<double>();
      };
      EXPECT_EQ(reduced(Reduction::sum), 6);
      EXPECT_EQ(reduced(Reduction::min), 1);
      EXPECT_EQ(reduced(Reduction::max), 3);
      const at::Tensor own = at::full({2, 2}, comm.rank(), type);
      const at::Tensor begun = comm.begin_all_gather(own);
      comm.end_begun();
      for (const at::Tensor& gathered : {comm.all_gather(own), begun}) {
        EXPECT_EQ(gathered.sizes(), (at::IntArrayRef{3, 2, 2}));
        for (int rank = 0; rank < 3; ++rank)
          EXPECT_TRUE(gathered.select(0, rank).eq(rank).all().item<bool>());
      }
      const at::Tensor rows = at::arange(6, type).view({3, 2}), sum = at::zeros({2}, type);
      comm.reduce_scatter(sum, rows);
      EXPECT_TRUE(at::equal(sum, rows.select(0, comm.rank()) * 3));
      const at::Tensor of_one = at::full({3}, comm.rank(), type);
      comm.broadcast(of_one, 1);
      EXPECT_TRUE(of_one.eq(1).all().item<bool>());
    }
    comm.barrier();
  });
  EXPECT_THAT(failures, testing::Each(""));
  EXPECT_EQ(destroyed, 3);
  EXPECT_EQ(aborted, 0);
}

TEST(NcclComm, ARankThatFailsFreesTheOthersAndIsNamed) {
  const auto begin = std::chrono::steady_clock::now();
  const auto failures = failures_on_nccl(3, [](Comm& comm) {
    comm.barrier();
    if (comm.rank() == 1) return comm.abort("rank 1: no memory");
    comm.barrier();
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_THAT(failures, testing::ElementsAre("rank 1: no memory", "", "rank 1: no memory"));
  EXPECT_EQ(aborted, 3);
}

TEST(NcclComm, RefusesWhatItCannotSend) {
  const auto failures = failures_on_nccl(1, [](Comm& comm) {
    EXPECT_THROW(comm.all_reduce(at::zeros({4, 3}).t(), Reduction::sum), std::invalid_argument);
    EXPECT_THROW(comm.all_reduce(at::zeros({4}, at::kBool), Reduction::sum), std::invalid_argument);
  });
  EXPECT_THAT(failures, testing::Each(""));
}

}  // namespace
}  // namespace stepscope::trainers
