// SPDX-License-Identifier: Apache-2.0
// Sizes of the model and settings of one run.
//
// A complete binary tree of nodes, each a transformer layer. Sequences belong to domains, one for
// each leaf, and pass the nodes from the root to their leaf. Nodes are numbered level by level. The
// plain model is one path: as many layers, the same for every domain.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/tree/fixes.hpp"

namespace stepscope::tree {

enum class Kind { tree, plain };

struct Shape {
  Kind kind = Kind::tree;
  std::int64_t depth = 2;  // edges from the root to a leaf
  std::int64_t d_model = 32;
  std::int64_t heads = 2;
  std::int64_t vocabulary = 64;
  std::int64_t sequence = 16;

  std::int64_t leaves() const { return std::int64_t{1} << depth; }
  std::int64_t nodes() const { return kind == Kind::plain ? depth + 1 : 2 * leaves() - 1; }
  std::vector<std::size_t> path_to(std::int64_t leaf) const;
};

struct Preset {
  const char* name;
  const char* summary;
  Shape shape;
  std::int64_t batch, eval_sequences;
  double learning_rate;
};

std::span<const Preset> all_presets();

struct Config {
  std::string preset = "tiny";
  Shape shape;
  Fixes fixes;

  std::int64_t batch = 8;             // sequences a step, without batch_256
  std::int64_t credit = 2;            // k: nodes of a path whose gradients count
  double clip = 1;                    // with clipping: the greatest norm of all gradients together
  std::int64_t eval_every = 50;       // steps; 0: never
  std::int64_t eval_sequences = 128;  // held out, of each domain

  std::int64_t steps = 150;
  std::int64_t warm_up = 5;     // first steps that the rates leave out
  std::int64_t log_every = 25;  // steps; 0: the first and the last
  double learning_rate = 3e-3;
  bool tf32 = true;  // for a GPU's matrix products in float32

  trainers::Machine machine;
  std::uint64_t seed = 0;

  std::int64_t sequences_a_step() const { return fixes.batch_256 ? 256 : batch; }
  std::int64_t tokens_a_step() const { return sequences_a_step() * shape.sequence; }
  std::int64_t sequences_of_evaluation() const { return fixes.eval_batch ? 256 : 32; }
};

void use_preset(Config& config, const Preset& preset);

// Whether a line is printed behind the step of that index, and whether it is evaluated.
bool logs(const Config& config, std::int64_t index);
bool evaluates(const Config& config, std::int64_t index);

// Values that do not fit each other.
Status check(const Config& config);

}  // namespace stepscope::tree
