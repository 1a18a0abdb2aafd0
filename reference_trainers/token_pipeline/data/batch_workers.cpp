// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/data/batch_workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stepscope/annotate.hpp>
#include <thread>
#include <utility>

#include "reference_trainers/common/first_line.hpp"

namespace stepscope::token_pipeline {

BatchMaker::BatchMaker(const Config& config, const Regions& regions, const SampleOrder& order,
                       bool gpu)
    : config_(config),
      regions_(regions),
      order_(order),
      pinned_(gpu && config.fixes.pinned),
      collator_(regions, config.samples_of_rank(), pinned_) {}

Batch BatchMaker::make(std::int64_t step) {
  const auto phase = stepscope::phase("collate");
  StepPlan plan =
      plan_step(regions_, order_.samples_of(step, config_.rank), config_.parts_of_batch());
  if (config_.fixes.preallocated_collate) return collator_.collate(regions_, std::move(plan));
  Batch batch = collate_by_concatenation(regions_, std::move(plan));
  if (!pinned_) return batch;
  batch.numbers = batch.numbers.pin_memory();
  batch.features = batch.features.pin_memory();
  return batch;
}

// The workers of the steps begin .. end - 1.
class BatchWorkers::Crew {
 public:
  Crew(const BatchWorkers& of, std::int64_t begin, std::int64_t end)
      : of_(of), to_make_(begin), to_give_(begin), end_(end) {
    for (std::int64_t i = 0; i < of.config_.worker_count(); ++i)
      threads_.emplace_back([this] { work(); });
  }
  ~Crew() {
    {
      const std::lock_guard hold(mutex_);
      to_make_ = end_;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::int64_t end() const { return end_; }

  Result<Batch> next() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return failure_ || made_.contains(to_give_); });
    if (failure_) return *failure_;
    Batch batch = std::move(made_.extract(to_give_++).mapped());
    changed_.notify_all();
    return batch;
  }

 private:
  static constexpr std::int64_t kAheadOfWorker = 2;

  bool may_make() const {
    return to_make_ < to_give_ + kAheadOfWorker * of_.config_.worker_count();
  }

  void work() {
    try {
      const Regions own = of_.regions_.copy();
      BatchMaker maker(of_.config_, own, of_.order_, of_.gpu_);
      for (std::int64_t step = 0; (step = claim()) < end_;) put(step, maker.make(step));
    } catch (const std::exception& thrown) {  // LibTorch throws where memory runs out
      const std::lock_guard hold(mutex_);
      failure_ = bad_input("a worker that makes batches failed: " + trainers::first_line(thrown));
      changed_.notify_all();
    }
  }

  // The next step's number, once it may be made; end_ where there are no more.
  std::int64_t claim() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return to_make_ >= end_ || may_make(); });
    return to_make_ >= end_ ? end_ : to_make_++;
  }

  void put(std::int64_t step, Batch batch) {
    const std::lock_guard hold(mutex_);
    made_.emplace(step, std::move(batch));
    changed_.notify_all();
  }

  const BatchWorkers& of_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, Batch> made_;
  std::optional<Error> failure_;
  std::int64_t to_make_, to_give_;
  const std::int64_t end_;
  std::vector<std::thread> threads_;
};

BatchWorkers::BatchWorkers(const Config& config, const Regions& regions, const SampleOrder& order,
                           bool gpu)
    : config_(config), regions_(regions), order_(order), gpu_(gpu) {}
BatchWorkers::~BatchWorkers() = default;

Result<Batch> BatchWorkers::next() {
  if (!crew_ || next_ == crew_->end()) {
    const std::int64_t epoch_end = next_ + order_.steps_of_epoch();
    crew_.reset();
    crew_ = std::make_unique<Crew>(
        *this, next_,
        config_.fixes.persistent_workers ? config_.steps : std::min(epoch_end, config_.steps));
  }
  ++next_;
  return crew_->next();
}

}  // namespace stepscope::token_pipeline
