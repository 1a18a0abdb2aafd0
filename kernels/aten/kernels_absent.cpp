// SPDX-License-Identifier: Apache-2.0
// In place of stepscope_kernels in a build without CUDA: what the bindings call answers why not.
#include "kernels/batch_topk/column_statistics.hpp"
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/coded_adam/coded_adam.hpp"
#include "kernels/fused_adam/fused_adam.hpp"
#include "kernels/pairwise_cosine/pairwise_cosine.hpp"
#include "kernels/row_topk/row_topk.hpp"
#include "kernels/shard_topk/shard_cut.hpp"
#include "kernels/shard_topk/shard_sweep.hpp"
#include "kernels/shard_topk/shard_topk.hpp"
#include "kernels/sparse_decoder/silent_steps.hpp"
#include "kernels/sparse_decoder/squared_loss.hpp"
#include "kernels/sparse_decoder/turned_list.hpp"
#include "kernels/token_pass/token_pass.hpp"

namespace stepscope::kernels {
namespace {

Status absent() {
  return Status::cuda_error("CUDA kernels", "are not in this build (STEPSCOPE_WITH_CUDA is off)");
}

}  // namespace

Status batch_topk(const BatchTopkArguments&, CUstream_st*) {
  return absent();
}
Status column_statistics(const BatchTopkArguments&, CUstream_st*) {
  return absent();
}
Status bitmask_to_bytes(const Bitmask&, std::uint8_t*, CUstream_st*) {
  return absent();
}
Status bitmask_keep(const Bitmask&, KeyType, const void*, void*, CUstream_st*) {
  return absent();
}
Status bitmask_row_counts(const Bitmask&, std::uint32_t*, CUstream_st*) {
  return absent();
}
Status bitmask_column_counts(const Bitmask&, std::uint32_t*, CUstream_st*) {
  return absent();
}
Status bitmask_list(const Bitmask&, const BitmaskList&, CUstream_st*) {
  return absent();
}
Status row_topk(const RowTopkArguments&, CUstream_st*) {
  return absent();
}
Status pairwise_cosine(const PairwiseCosine&, CUstream_st*) {
  return absent();
}
Status pairwise_cosine_gradient(const PairwiseCosineGradient&, CUstream_st*) {
  return absent();
}
Status token_linear(const TokenLinear&, CUstream_st*) {
  return absent();
}
Status token_attention(const TokenAttention&, CUstream_st*) {
  return absent();
}
Status sparse_decoder_forward(const SparseDecoderForward&, CUstream_st*) {
  return absent();
}
Status sparse_decoder_activation_gradient(const SparseDecoderActivationGradient&, CUstream_st*) {
  return absent();
}
Status sparse_decoder_weight_gradient(const SparseDecoderWeightGradient&, CUstream_st*) {
  return absent();
}
Status sparse_decoder_bias_gradient(const SparseDecoderBiasGradient&, CUstream_st*) {
  return absent();
}
Status turn_list(const TurnedList&, CUstream_st*) {
  return absent();
}
Status count_silent_steps(const SilentSteps&, CUstream_st*) {
  return absent();
}
Status squared_loss(const SquaredLoss&, CUstream_st*) {
  return absent();
}
Status fused_adam(const FusedAdam&, CUstream_st*) {
  return absent();
}
Status fused_adam_decoder(const FusedAdamDecoder&, CUstream_st*) {
  return absent();
}
Status lazy_adam_decoder(const FusedAdamDecoder&, CUstream_st*) {
  return absent();
}
Status silent_adam_decoder(const FusedAdamDecoder&, CUstream_st*) {
  return absent();
}
Status coded_adam(const CodedAdam&, CUstream_st*) {
  return absent();
}
Status coded_adam_decoder(const CodedAdamDecoder&, CUstream_st*) {
  return absent();
}
Status active_coded_adam_decoder(const CodedAdamDecoder&, CUstream_st*) {
  return absent();
}
Status silent_coded_adam_decoder(const CodedAdamDecoder&, CUstream_st*) {
  return absent();
}
Status shard_topk_count(const ShardTopkArguments&, int, CUstream_st*) {
  return absent();
}
Status shard_topk_choose(const ShardTopkArguments&, int, CUstream_st*) {
  return absent();
}
Status shard_topk_shares(const ShardTopkArguments&, CUstream_st*) {
  return absent();
}
Status shard_topk_own_count(const ShardTopkArguments&, const std::int64_t*, std::int64_t,
                            std::int64_t, CUstream_st*) {
  return absent();
}

Status shard_cut_count(const ShardCutArguments&, CUstream_st*) {
  return absent();
}
Status shard_cut_list(const ShardCutArguments&, CUstream_st*) {
  return absent();
}
Status shard_cut_settle(const ShardCutArguments&, const std::int64_t*, std::int64_t, std::int64_t,
                        CUstream_st*) {
  return absent();
}
Status shard_cut_learn(const ShardCutArguments&, const ShardTopkState*, CUstream_st*) {
  return absent();
}

Status shard_sweep_collect(const ShardSweepArguments&, CUstream_st*) {
  return absent();
}
Status shard_sweep_settle(const ShardSweepArguments&, const std::int64_t*, std::int64_t,
                          std::int64_t, CUstream_st*) {
  return absent();
}
Status shard_sweep_learn(ShardSweepState*, const ShardCutState*, CUstream_st*) {
  return absent();
}

}  // namespace stepscope::kernels
