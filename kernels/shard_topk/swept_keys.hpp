// SPDX-License-Identifier: Apache-2.0
// A shard in host memory that a bracket of keys cuts into selected entries, candidates and others:
// what shard_sweep.hpp's kernels do, each call the counterpart of one of theirs. For ranks that
// train on the CPU, and for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/shard_topk/shard_sweep.hpp"

namespace stepscope::kernels {

// The same on every shard.
struct SweepCut {
  SweepFound found;
  std::int64_t code = 0;  // finalist_code of the least selected entry, where there is one
};

class SweptKeys {
 public:
  // Takes the keys as ShardSweepArguments has them, but raw, or affine with mean and scale.
  SweptKeys(const BatchTopkArguments& matrix, const ShardBracket& bracket, std::int64_t groups = 1);

  // [kShardPublished]
  std::vector<std::int64_t> published() const;
  SweepCut cut(const std::int64_t* all_published, std::int64_t shards) const;
  // bytes[rows, columns]: 1 where selected, by a cut that is decided; how many those are.
  std::int64_t select(const SweepCut& cut, const std::int64_t* all_published, std::int64_t shard,
                      std::int64_t shards, std::uint8_t* bytes) const;
  ShardBracket next(const SweepCut& cut, std::int64_t shards) const;

 private:
  struct Candidate {
    std::int64_t code, place;  // place: column * rows + row
  };

  std::int64_t rows_, columns_, count_;
  ShardBracket bracket_;
  BatchTopkWarmStart swept_;
  bool all_swept_;
  std::vector<std::int64_t> above_;    // places
  std::vector<Candidate> candidates_;  // in the order of places
};

}  // namespace stepscope::kernels
