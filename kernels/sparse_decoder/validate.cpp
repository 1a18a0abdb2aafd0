// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/checks.hpp"
#include "kernels/sparse_decoder/decoder_costs.hpp"
#include "kernels/sparse_decoder/decoder_pieces.hpp"
#include "kernels/sparse_decoder/silent_steps.hpp"
#include "kernels/sparse_decoder/squared_loss.hpp"
#include "kernels/sparse_decoder/turned_list.hpp"
#include "kernels/sparse_decoder/validate_parts.hpp"

namespace stepscope::kernels {
namespace {

constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostWeights = std::int64_t{1} << 34;  // 2^32 times 16 bytes in fp32

bool is_number_type(KeyType type) {
  return type == KeyType::bfloat16 || type == KeyType::float32;
}

Status validate_weights(const void* weights, KeyType type, std::int64_t count) {
  if (!is_number_type(type))
    return Status::bad_argument("weight_type", "must be bfloat16 or float32");
  if (count > 0 && !aligned_to(weights, 16))
    return Status::bad_argument("weights", "must point to numbers, aligned to 16 bytes");
  return {};
}

Status validate_gradients(const void* gradients, KeyType type, std::size_t alignment, bool needed) {
  if (!is_number_type(type))
    return Status::bad_argument("gradient_type", "must be bfloat16 or float32");
  if (needed && !aligned_to(gradients, alignment))
    return Status::bad_argument("gradients", "must point to aligned numbers");
  return {};
}

Status validate_lanes(LanesOfPiece lanes, const SparseDecoderShape& shape) {
  if (lanes != 0 && lanes != 8 && lanes != 16 && lanes != 32)
    return Status::bad_argument("lanes", "must be 0, 8, 16 or 32");
  // The narrowest pieces of the widest type.
  if (target_pieces(shape, KeyType::float32, 8) * shape.tokens > kMostOfASide)
    return Status::bad_argument("tokens", "times layers and pieces of a vector must be below 2^31");
  return {};
}

}  // namespace

Status validate(const SparseDecoderShape& shape) {
  if (shape.layers < 0 || shape.layers > kMostLayers)
    return Status::bad_argument("layers", "must be 0 to 1024");
  if (shape.features < 0 || shape.features > kMostOfASide / kMostLayers)
    return Status::bad_argument("features", "must be 0 to 2^21 - 1");
  if (shape.model < 0 || shape.model > kMostOfASide / kMostLayers || shape.model % 8 != 0)
    return Status::bad_argument("model", "must be a multiple of 8, 0 to 2^21 - 8");
  if (shape.tokens < 0 || shape.tokens > kMostOfASide)
    return Status::bad_argument("tokens", "must be 0 to 2^31 - 1");
  if (shape.model > 0 && shape.pairs() * shape.features > kMostWeights / shape.model)
    return Status::bad_argument("features", "make more than 2^34 weights");
  return {};
}

Status validate_list(const ActiveFeatures& list, bool with_values) {
  if (!aligned_to(list.offsets, sizeof(std::int64_t)))
    return Status::bad_argument("offsets", "must point to an aligned number a line, and one more");
  if (list.capacity < 0 || list.capacity > kMostOfASide)
    return Status::bad_argument("capacity", "must be 0 to 2^31 - 1");
  if (list.capacity > 0 && !aligned_to(list.indices, sizeof(std::int32_t)))
    return Status::bad_argument("indices", "must point to aligned numbers");
  if (with_values && list.capacity > 0 && !aligned_to(list.values, bytes_of(list.value_type)))
    return Status::bad_argument("values", "must point to numbers, aligned to their size");
  return {};
}

Status validate_rows(const ConstLayerRows& rows, const char* name) {
  if (!is_number_type(rows.type)) return Status::bad_argument(name, "must be bfloat16 or float32");
  if (!aligned_to(rows.data, 16))
    return Status::bad_argument(name, "must point to numbers, aligned to 16 bytes");
  if (rows.token_stride < 0 || rows.layer_stride < 0 || rows.token_stride % 8 != 0 ||
      rows.layer_stride % 8 != 0)
    return Status::bad_argument(name, "must have strides that are multiples of 8");
  return {};
}

Status validate_rows(const ConstLayerRows& rows, const SparseDecoderShape& shape) {
  if (shape.tokens == 0) return {};
  if (rows.token_stride > kMostOfASide * 16 / shape.tokens)
    return Status::bad_argument("output_gradients", "span more than 2^35 numbers");
  return validate_rows(rows, "output_gradients");
}

Status validate(const SparseDecoderForward& a) {
  if (Status s = validate(a.shape); !s.ok()) return s;
  if (Status s = validate_lanes(a.lanes, a.shape); !s.ok()) return s;
  if (a.shape.tokens * a.shape.layers * a.shape.model == 0) return {};
  if (Status s = validate_list(a.by_token, true); !s.ok()) return s;
  if (Status s = validate_weights(a.weights, a.weight_type, a.shape.weights()); !s.ok()) return s;
  if (a.bias != nullptr && !aligned_to(a.bias, 16))
    return Status::bad_argument("bias", "must be aligned to 16 bytes");
  const LayerRows& out = a.outputs;
  return validate_rows({out.data, out.type, out.token_stride, out.layer_stride}, "outputs");
}

Status validate(const SparseDecoderActivationGradient& a) {
  if (Status s = validate(a.shape); !s.ok()) return s;
  if (Status s = validate_lanes(a.lanes, a.shape); !s.ok()) return s;
  if (a.shape.tokens * a.shape.layers * a.shape.model == 0) return {};
  if (Status s = validate_list(a.by_token, false); !s.ok()) return s;
  if (Status s = validate_weights(a.weights, a.weight_type, a.shape.weights()); !s.ok()) return s;
  if (Status s = validate_rows(a.output_gradients, a.shape); !s.ok()) return s;
  const Status gradients = validate_gradients(a.gradients, a.gradient_type,
                                              bytes_of(a.gradient_type), a.by_token.capacity > 0);
  if (!gradients.ok()) return gradients;
  if (a.by_token.capacity > 0 && !aligned_to(a.workspace, 256))
    return Status::bad_argument("workspace", "must be aligned to 256 bytes");
  if (a.workspace_bytes < sparse_decoder_workspace_bytes(a))
    return Status::bad_argument("workspace_bytes", "is less than sparse_decoder_workspace_bytes");
  return {};
}

Status validate(const SparseDecoderWeightGradient& a) {
  if (Status s = validate(a.shape); !s.ok()) return s;
  if (a.shape.weights() == 0) return {};
  if (Status s = validate_list(a.by_feature, true); !s.ok()) return s;
  if (Status s = validate_rows(a.output_gradients, a.shape); !s.ok()) return s;
  return validate_gradients(a.gradients, a.gradient_type, 16, true);
}

Status validate(const SparseDecoderBiasGradient& a) {
  if (Status s = validate(a.shape); !s.ok()) return s;
  if (a.shape.layers * a.shape.model == 0) return {};
  if (Status s = validate_rows(a.output_gradients, a.shape); !s.ok()) return s;
  return validate_gradients(a.gradients, KeyType::float32, 16, true);
}

Status validate(const TurnedList& a) {
  if (a.columns < 0 || a.columns > kMostOfASide)
    return Status::bad_argument("columns", "must be 0 to 2^31 - 1");
  if (a.columns == 0) return {};
  if (Status s = validate_list(a.by_token, true); !s.ok()) return s;
  if (Status s = validate_list(a.by_column, false); !s.ok()) return s;
  if (a.by_token.capacity != a.by_column.capacity)
    return Status::bad_argument("capacity", "must be that of both lists");
  if (a.by_token.capacity > 0 && a.by_token.value_type != KeyType::float32)
    return Status::bad_argument("value_type", "must be float32");
  if (a.by_token.capacity > 0 && !aligned_to(a.values, sizeof(float)))
    return Status::bad_argument("values", "must point to aligned numbers");
  if (!aligned_to(a.sums, sizeof(float)))
    return Status::bad_argument("sums", "must point to a number a column");
  if (a.rows == nullptr) return {};
  if (!aligned_to(a.rows, sizeof(std::int32_t)) || a.group_columns < 1 || a.tokens < 0 ||
      a.tokens > kMostOfASide / slabs_of(a.columns, a.group_columns))
    return Status::bad_argument("rows", "must be aligned, of groups with fewer than 2^31 rows");
  return {};
}

Status validate(const SilentSteps& a) {
  if (a.columns < 0 || a.columns > kMostOfASide)
    return Status::bad_argument("columns", "must be 0 to 2^31 - 1");
  if (a.columns == 0) return {};
  if (Status s = validate_list(a.by_column, true); !s.ok()) return s;
  if (a.by_column.capacity > 0 && a.by_column.value_type != KeyType::float32)
    return Status::bad_argument("value_type", "must be float32");
  if (!aligned_to(a.steps, sizeof(std::int64_t)))
    return Status::bad_argument("steps", "must point to an aligned number a column");
  return {};
}

std::size_t squared_loss_workspace_bytes(std::int64_t tokens, std::int64_t columns) {
  const std::int64_t parts = slabs_of(tokens, kLossTokens);
  const std::int64_t blocks = (parts * slabs_of(columns, kLossColumns) + 1) / 2 * 2;
  return static_cast<std::size_t>(blocks) * sizeof(double) +
         static_cast<std::size_t>(parts * columns) * sizeof(float);
}

Status validate(const SquaredLoss& a) {
  if (a.tokens < 0 || a.tokens > kMostOfASide)
    return Status::bad_argument("tokens", "must be 0 to 2^31 - 1");
  if (a.columns < 0 || a.columns > kMostOfASide || a.columns % 4 != 0)
    return Status::bad_argument("columns", "must be a multiple of 4, 0 to below 2^31");
  if (a.columns > 0 && a.tokens > kMostWeights / a.columns)
    return Status::bad_argument("tokens", "times columns must be at most 2^34");
  if (!aligned_to(a.loss, sizeof(float)) || !aligned_to(a.workspace, 16))
    return Status::bad_argument("loss", "and workspace must point to aligned memory");
  if (a.workspace_bytes < squared_loss_workspace_bytes(a.tokens, a.columns))
    return Status::bad_argument("workspace_bytes", "is less than squared_loss_workspace_bytes");
  if (a.columns == 0) return {};
  if (!aligned_to(a.deviations, 16) || !aligned_to(a.bias_gradients, 16))
    return Status::bad_argument("deviations", "and bias_gradients must be aligned to 16 bytes");
  if (a.tokens == 0) return {};
  if (!aligned_to(a.outputs, 16) || !aligned_to(a.targets, 16) || !aligned_to(a.gradients, 16))
    return Status::bad_argument("outputs", "targets, gradients must be aligned to 16 bytes");
  return {};
}

std::size_t sparse_decoder_workspace_bytes(const SparseDecoderActivationGradient& a) {
  const int lanes = lanes_of_piece(a.shape, a.by_token.capacity, a.weight_type, a.lanes);
  return static_cast<std::size_t>(target_pieces(a.shape, a.weight_type, lanes)) *
         static_cast<std::size_t>(a.by_token.capacity) * sizeof(float);
}

}  // namespace stepscope::kernels
