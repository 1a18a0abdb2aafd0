// SPDX-License-Identifier: Apache-2.0
// Parts of the step that are switched one by one (fixes.hpp).
#include <utility>

#include "reference_trainers/clt/model/sparse_ops.hpp"

namespace stepscope::clt {
namespace {

class MixedOps final : public SparseOps {
 public:
  MixedOps(std::unique_ptr<SparseOps> dense, std::unique_ptr<SparseOps> kernels, const Fixes& fixes)
      : dense_(std::move(dense)),
        kernels_(std::move(kernels)),
        select_(fixes.select_kernel ? *kernels_ : *dense_),
        decoder_(fixes.sparse_decoder ? *kernels_ : *dense_),
        adam_(fixes.sparse_adam ? *kernels_ : *dense_),
        encoder_(fixes.sparse_encoder ? *kernels_ : *dense_),
        gradient_in_memory_(!fixes.sparse_adam) {}

  ActiveFeatures begin_select(const at::Tensor& preactivations, std::int64_t count,
                              const Meanwhile& meanwhile) override {
    ActiveFeatures active = select_.begin_select(preactivations, count, meanwhile);
    if (!decodes_early()) (void)select_.end_select(active, preactivations);
    return active;
  }
  bool end_select(ActiveFeatures& active, const at::Tensor& preactivations) override {
    return !decodes_early() || select_.end_select(active, preactivations);
  }
  bool add_to_listed(const at::Tensor& addends) override { return select_.add_to_listed(addends); }
  void list_columns(ActiveFeatures& active, const at::Tensor& preactivations) override {
    select_.list_columns(active, preactivations);
  }
  void count_silent_steps(const ActiveFeatures& active, double threshold,
                          const at::Tensor& steps) override {
    select_.count_silent_steps(active, threshold, steps);
  }

  at::Tensor decode(const AdamState& weights, const AdamState& bias,
                    const ActiveFeatures& active) override {
    return decoder_.decode(weights, bias, active);
  }
  SquaredLoss squared_loss(const at::Tensor& outputs, const at::Tensor& targets,
                           const at::Tensor& deviations, double factor) override {
    return decoder_.squared_loss(outputs, targets, deviations, factor);
  }
  at::Tensor activation_gradient(const AdamState& weights, const ActiveFeatures& active,
                                 const at::Tensor& output_gradients) override {
    return decoder_.activation_gradient(weights, active, output_gradients);
  }
  ByColumn by_column(const ActiveFeatures& active, const at::Tensor& values) override {
    return encoder_.by_column(active, values);
  }
  at::Tensor weight_gradient(const ActiveFeatures& active,
                             const at::Tensor& output_gradients) override {
    return decoder_.weight_gradient(active, output_gradients);
  }

  void update_decoder(AdamState& weights, const ActiveFeatures& active,
                      const at::Tensor& output_gradients, double learning_rate,
                      std::int64_t step) override {
    if (gradient_in_memory_)
      SparseOps::update_decoder(weights, active, output_gradients, learning_rate, step);
    else
      adam_.update_decoder(weights, active, output_gradients, learning_rate, step);
  }
  void update_silent(AdamState& weights, const ActiveFeatures& active, double learning_rate,
                     std::int64_t step) override {
    if (!gradient_in_memory_) adam_.update_silent(weights, active, learning_rate, step);
  }
  void update_others(AdamState& weights, const ActiveFeatures& active,
                     const at::Tensor& output_gradients, double learning_rate,
                     std::int64_t step) override {
    if (gradient_in_memory_)
      update_decoder(weights, active, output_gradients, learning_rate, step);
    else
      adam_.update_others(weights, active, output_gradients, learning_rate, step);
  }
  void update(AdamState& state, const at::Tensor& gradients, double learning_rate,
              std::int64_t step) override {
    adam_.update(state, gradients, learning_rate, step);
  }
  void update_encoder(AdamState& weights, const FeatureList& gradients,
                      const std::vector<at::Tensor>& inputs, double learning_rate,
                      std::int64_t step) override {
    encoder_.update_encoder(weights, gradients, inputs, learning_rate, step);
  }

 private:
  // Lists that are not ended are taken by those alone who made them.
  bool decodes_early() const { return &select_ == &decoder_; }

  std::unique_ptr<SparseOps> dense_, kernels_;
  SparseOps &select_, &decoder_, &adam_, &encoder_;
  bool gradient_in_memory_;
};

}  // namespace

std::unique_ptr<SparseOps> make_mixed_ops(std::unique_ptr<SparseOps> dense,
                                          std::unique_ptr<SparseOps> kernels, const Fixes& fixes) {
  return std::make_unique<MixedOps>(std::move(dense), std::move(kernels), fixes);
}

}  // namespace stepscope::clt
