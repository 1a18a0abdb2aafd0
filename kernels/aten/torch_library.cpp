// SPDX-License-Identifier: Apache-2.0
// The operations that torch.ops.stepscope has once torch.ops.load_library loaded this library: the
// one list of them. Those with a gradient bring their own autograd, so one function serves every
// device.
#include <torch/library.h>

#include <string>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/pairwise_cosine.hpp"
#include "kernels/aten/row_topk.hpp"
#include "kernels/aten/sparse_decoder.hpp"
#include "kernels/aten/torch_calls.hpp"

namespace stepscope::aten {

TORCH_LIBRARY(stepscope, library) {
  const std::string adam_settings =
      "float learning_rate, int step, *, float beta1=0.9, float beta2=0.999, float epsilon=1e-8, "
      "float weight_decay=0.0, bool decoupled=False, Tensor(d!)? copy=None) -> ()";
  const std::string adam_state =
      "(Tensor(a!) parameters, Tensor(b!) first_moments, Tensor(c!) second_moments, ";
  const std::string affine =
      "*, bool positives_only=False, Tensor? mean=None, Tensor? scale=None) -> ()";

  library.def(
      "batch_topk(Tensor acts, int k, *, bool z_score=False, bool positives_only=False) -> Tensor",
      &batch_topk);
  library.def(
      "batch_topk_mask(Tensor acts, int count, *, bool z_score=False, bool positives_only=False, "
      "Tensor? mean=None, Tensor? scale=None, Tensor? device_count=None) -> (Tensor mask, Tensor "
      "threshold)",
      &mask_and_threshold);
  library.def("column_statistics(Tensor acts) -> (Tensor mean, Tensor scale)", &mean_and_scale);
  library.def("bitmask_to_bool(Tensor mask, int columns) -> Tensor", &bitmask_to_bool);
  library.def("bitmask_keep(Tensor mask, Tensor values) -> Tensor", &bitmask_keep);
  library.def("bitmask_row_counts(Tensor mask, int columns) -> Tensor", &bitmask_row_counts);
  library.def("bitmask_column_counts(Tensor mask, int columns) -> Tensor", &bitmask_column_counts);
  library.def(
      "bitmask_list(Tensor mask, Tensor values, bool by_column, int entries) -> (Tensor offsets, "
      "Tensor indices, Tensor values)",
      &offsets_indices_values);
  library.def("row_topk(Tensor acts, int k) -> (Tensor values, Tensor columns)", &row_topk);
  library.def(
      "pairwise_cosine(Tensor vectors, Tensor? lengths=None) -> (Tensor scores, Tensor distances)",
      &pairwise_cosine);
  library.def(
      "sparse_decoder(Tensor acts, Tensor mask, Tensor weights, Tensor? bias, int layers, int "
      "entries) -> Tensor",
      &sparse_decoder);
  const auto define = [&](const std::string& schema, auto* function) {
    library.def(schema.c_str(), function);
  };
  define("fused_adam_" + adam_state + "Tensor gradients, " + adam_settings, &adam_step);
  define("fused_adam_decoder_" + adam_state +
             "Tensor offsets, Tensor indices, Tensor values, Tensor output_gradients, " +
             adam_settings,
         &adam_decoder_step);
  library.def("shard_topk_memory(Tensor acts, int groups) -> Tensor[]", &shard_memory);
  define("shard_topk_count_(Tensor acts, int count, int round, Tensor(a!)[] memory, " + affine,
         &shard_count);
  define("shard_topk_choose_(Tensor acts, int count, int round, Tensor(a!)[] memory, " + affine,
         &shard_choose);
  define("shard_topk_shares_(Tensor acts, int count, Tensor(a!)[] memory, " + affine,
         &shard_shares);
  define(
      "shard_topk_own_count_(Tensor acts, int count, Tensor all_shares, int shard, Tensor(a!)[] "
      "memory, " +
          affine,
      &shard_own_count);
}

}  // namespace stepscope::aten
