// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/nccl_comm.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reference_trainers/comm/link_watch.hpp"
#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {
namespace {

constexpr CUstream_st* kDefaultStream = nullptr;

nccl::Type type_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kByte:
      return nccl::kUint8;
    case at::kInt:
      return nccl::kInt32;
    case at::kLong:
      return nccl::kInt64;
    case at::kHalf:
      return nccl::kFloat16;
    case at::kBFloat16:
      return nccl::kBfloat16;
    case at::kFloat:
      return nccl::kFloat32;
    case at::kDouble:
      return nccl::kFloat64;
    default:
      throw std::invalid_argument("NcclComm: a tensor's type is none that NCCL adds");
  }
}

nccl::Operation operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return nccl::kSum;
    case Reduction::min:
      return nccl::kMin;
    case Reduction::max:
      break;
  }
  return nccl::kMax;
}

// A stream of a GPU beside its default one, before which it is served.
class SideStream {
 public:
  explicit SideStream(at::Device device)
      : default_(c10::impl::VirtualGuardImpl(device.type()).getDefaultStream(device)),
        stream_(c10::impl::VirtualGuardImpl(device.type())
                    .getStreamFromGlobalPool(device, /*isHighPriority=*/true)),
        begun_(device.type()),
        done_(device.type()) {}

  c10::Stream stream() const { return stream_; }
  CUstream_st* native() const { return static_cast<CUstream_st*>(stream_.native_handle()); }
  // Follows the work that the default stream has been given.
  void follow() {
    begun_.record(default_);
    begun_.block(stream_);
  }
  void be_followed() {
    done_.record(stream_);
    done_.block(default_);
  }

 private:
  const c10::Stream default_, stream_;
  c10::Event begun_, done_;
};

class NcclComm final : public Comm {
 public:
  // The id travels over the links before they are watched.
  NcclComm(const nccl::Library& library, std::unique_ptr<Links> links, int size, at::Device device,
           std::chrono::milliseconds patience)
      : library_(library), rank_(links->rank()), size_(size), device_(device) {
    const nccl::UniqueId id = exchanged_id(*links);
    watch_ = std::make_unique<LinkWatch>(std::move(links), patience, [this] { abort_device(); });
    nccl::Communicator* made = nullptr;
    must(library_.comm_init_rank(&made, size_, id, rank_));
    communicator_ = made;
    if (device_.is_cuda()) side_.emplace(device_);
  }

  // A group that ends well is left by all before the links are closed.
  ~NcclComm() override {
    if (!watch_->failed()) {
      synchronize(device_);
      if (nccl::Communicator* const own = communicator_.exchange(nullptr))
        (void)library_.comm_destroy(own);
    }
    watch_->leave();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void all_reduce(const at::Tensor& tensor, Reduction reduction) override {
    begin(tensor);
    must(library_.all_reduce(tensor.const_data_ptr(), tensor.mutable_data_ptr(), count_of(tensor),
                             type_of(tensor), operation_of(reduction), communicator_,
                             kDefaultStream));
  }

  void begin_all_reduce(const at::Tensor& tensor, Reduction reduction) override {
    if (!side_) return all_reduce(tensor, reduction);
    begin(tensor);
    follow();
    must(library_.all_reduce(tensor.const_data_ptr(), tensor.mutable_data_ptr(), count_of(tensor),
                             type_of(tensor), operation_of(reduction), communicator_,
                             side_->native()));
  }

  at::Tensor all_gather(const at::Tensor& own) override {
    begin(own);
    return gathered(own, kDefaultStream);
  }

  at::Tensor begin_all_gather(const at::Tensor& own) override {
    if (!side_) return all_gather(own);
    begin(own);
    follow();
    return gathered(own, side_->native());
  }

  void reduce_scatter(const at::Tensor& own, const at::Tensor& all) override {
    begin(own, all);
    scattered(own, all, kDefaultStream);
  }

  void begin_reduce_scatter(const at::Tensor& own, const at::Tensor& all) override {
    if (!side_) return reduce_scatter(own, all);
    begin(own, all);
    follow();
    scattered(own, all, side_->native());
  }

  void begin_beside(std::function<void()> work) override {
    if (!side_) return work();
    follow();
    const c10::StreamGuard on_side(side_->stream());
    work();
  }

  void end_begun() override {
    if (std::exchange(begun_, false)) side_->be_followed();
  }

  void broadcast(const at::Tensor& tensor, int root) override {
    begin(tensor);
    must(library_.broadcast(tensor.const_data_ptr(), tensor.mutable_data_ptr(), count_of(tensor),
                            type_of(tensor), root, communicator_, kDefaultStream));
  }

  void barrier() override {
    all_reduce(at::zeros({1}, at::TensorOptions(device_).dtype(at::kInt)), Reduction::sum);
    synchronize(device_);
    watch_->check();
  }

  void abort(const std::string& reason) override {
    watch_->fail(reason);
    abort_device();
  }

 private:
  nccl::UniqueId exchanged_id(Links& links) const {
    nccl::UniqueId id{};
    if (rank_ == 0) must(library_.get_unique_id(&id));
    const Call call{Call::Kind::broadcast};
    for (const int peer : links.peers())
      rank_ == 0 ? links.send(peer, call, &id, sizeof id)
                 : links.receive(peer, call, &id, sizeof id);
    return id;
  }

  static std::size_t count_of(const at::Tensor& tensor) {
    return static_cast<std::size_t>(tensor.numel());
  }

  void begin(const at::Tensor& tensor) {
    watch_->check();
    if (tensor.device() != device_ || !tensor.is_contiguous())
      throw std::invalid_argument("NcclComm: a tensor is not contiguous, or on another device");
    watch_->made_a_call();
  }

  void begin(const at::Tensor& own, const at::Tensor& all) {
    if (all.numel() != size_ * own.numel() || !all.is_contiguous())
      throw std::invalid_argument("NcclComm: not a row for each rank");
    begin(own);
  }

  void scattered(const at::Tensor& own, const at::Tensor& all, CUstream_st* stream) const {
    must(library_.reduce_scatter(all.const_data_ptr(), own.mutable_data_ptr(), count_of(own),
                                 type_of(own), nccl::kSum, communicator_, stream));
  }

  void follow() {
    side_->follow();
    begun_ = true;
  }

  // Into memory of the default stream, which waits for the other one at end_begun().
  at::Tensor gathered(const at::Tensor& own, CUstream_st* stream) const {
    std::vector<std::int64_t> sizes(own.sizes().begin(), own.sizes().end());
    sizes.insert(sizes.begin(), size_);
    at::Tensor all = at::empty(sizes, own.options().requires_grad(false));
    must(library_.all_gather(own.const_data_ptr(), all.mutable_data_ptr(), count_of(own),
                             type_of(own), communicator_, stream));
    return all;
  }

  void must(nccl::Answer answer) const {
    if (answer == nccl::kSuccess) return;
    if (watch_ != nullptr) watch_->check();
    throw RankFailure("rank " + std::to_string(rank_) +
                      ": NCCL: " + library_.get_error_string(answer));
  }

  // Called from the watching thread, too.
  void abort_device() {
    if (nccl::Communicator* const own = communicator_.exchange(nullptr))
      (void)library_.comm_abort(own);
  }

  const nccl::Library library_;
  const int rank_, size_;
  const at::Device device_;
  std::atomic<nccl::Communicator*> communicator_{nullptr};
  std::unique_ptr<LinkWatch> watch_;
  std::optional<SideStream> side_;  // only on a GPU
  bool begun_ = false;              // there is something on it
};

}  // namespace

std::unique_ptr<Comm> make_nccl_comm(const nccl::Library& library, std::unique_ptr<Links> links,
                                     int size, at::Device device,
                                     std::chrono::milliseconds patience) {
  return std::make_unique<NcclComm>(library, std::move(links), size, device, patience);
}

}  // namespace stepscope::trainers
