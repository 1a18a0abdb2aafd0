// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/checks.hpp"
#include "kernels/shard_topk/shard_cut.hpp"
#include "kernels/shard_topk/shard_sweep.hpp"
#include "kernels/shard_topk/shard_topk.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
bool points_to(const T* pointer) {
  return aligned_to(pointer, alignof(T));
}

Status validate_keys(const BatchTopkArguments& matrix) {
  if (Status shape = validate_matrix(matrix.rows, matrix.columns); !shape.ok()) return shape;
  const bool empty = matrix.rows == 0 || matrix.columns == 0;
  if (!empty && !aligned_to(matrix.keys, bytes_of(matrix.key_type)))
    return Status::bad_argument("keys", "must point to keys, aligned to their size");
  const BatchTopkColumnKeys& keys = matrix.column_keys;
  if (keys.source != KeySource::raw && !empty && (!points_to(keys.mean) || !points_to(keys.scale)))
    return Status::bad_argument("column_keys.mean", "and scale must point to a float a column");
  return {};
}

// Checks what all sequences have.
template <class Arguments>
Status validate_shard(const Arguments& arguments) {
  if (Status matrix = validate_keys(arguments.matrix); !matrix.ok()) return matrix;
  if (arguments.groups < 1 || arguments.matrix.columns % arguments.groups != 0)
    return Status::bad_argument("groups", "must be 1 or more and divide the columns");
  if (!points_to(arguments.state)) return Status::bad_argument("state", "must point to a state");
  return {};
}

// Checks what those have that do not find the columns' mean and scale themselves.
template <class Arguments>
Status validate_known_columns(const Arguments& arguments) {
  if (arguments.matrix.column_keys.source == KeySource::z_score)
    return Status::bad_argument("column_keys.source", "must be raw, or affine with known columns");
  if (Status shard = validate_shard(arguments); !shard.ok()) return shard;
  if (!points_to(arguments.counts))
    return Status::bad_argument("counts", "must point to a number a bin");
  return {};
}

Status validate_mask(const BatchTopkArguments& matrix) {
  if (matrix.rows > 0 && matrix.columns > 0 && !points_to(matrix.mask))
    return Status::bad_argument("mask", "must point to the words that batch_topk wrote");
  return {};
}

}  // namespace

Status validate(const ShardTopkArguments& arguments) {
  if (Status shard = validate_known_columns(arguments); !shard.ok()) return shard;
  if (!points_to(arguments.shares))
    return Status::bad_argument("shares", "must point to a number a group, and one more");
  if (!points_to(arguments.own_count))
    return Status::bad_argument("own_count", "must point to a number");
  return {};
}

Status validate(const ShardCutArguments& arguments) {
  if (Status shard = validate_known_columns(arguments); !shard.ok()) return shard;
  if (Status mask = validate_mask(arguments.matrix); !mask.ok()) return mask;
  if (!points_to(arguments.finalists))
    return Status::bad_argument("finalists", "must point to a number a finalist, and one more");
  if (!points_to(arguments.outcome))
    return Status::bad_argument("outcome", "must point to an outcome");
  return {};
}

Status validate(const ShardSweepArguments& arguments) {
  if (Status shard = validate_shard(arguments); !shard.ok()) return shard;
  const BatchTopkArguments& matrix = arguments.matrix;
  if (matrix.column_keys.source == KeySource::raw && matrix.key_type != KeyType::float32)
    return Status::bad_argument("key_type", "of raw keys must be float32");
  if (Status mask = validate_mask(matrix); !mask.ok()) return mask;
  if (!points_to(arguments.published))
    return Status::bad_argument("published", "must point to a number a candidate, and two more");
  if (!points_to(arguments.outcome))
    return Status::bad_argument("outcome", "must point to an outcome");
  return {};
}

}  // namespace stepscope::kernels
