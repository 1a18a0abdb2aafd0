// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/file_store.hpp"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "reference_trainers/activation_files/batch_reader.hpp"
#include "reference_trainers/activation_files/element_kind.hpp"
#include "reference_trainers/activation_files/measured_stats.hpp"
#include "reference_trainers/activation_files/norm_stats.hpp"
#include "reference_trainers/common/copy_ahead.hpp"

namespace stepscope::clt {
namespace {

using trainers::ActivationFiles;
using trainers::BatchReader;
using trainers::NormStats;

constexpr std::int64_t kMeasuredRows = 16384;

struct Scale {
  NormStats stats;
  std::string from;  // for the user
};

Result<Scale> scale_of(const ActivationFiles& files) {
  const std::string path = std::filesystem::path(files.folder) / "norm_stats.json";
  std::error_code none;
  if (std::filesystem::exists(path, none)) {
    const auto stats = trainers::read_norm_stats(path, files.layers, files.d_model);
    if (!stats) return stats.error();
    return Scale{*stats, "norm_stats.json"};
  }
  const auto measured = trainers::measure_stats(files, kMeasuredRows);
  if (!measured) return measured.error();
  return Scale{measured->stats, fmt::format("mean and deviation of its first {} rows (it has no "
                                            "norm_stats.json)",
                                            measured->rows)};
}

class FileStore final : public ActivationStore {
 public:
  FileStore(const ActivationFiles& files, const Scale& scale, const Config& config,
            at::Device device, std::optional<trainers::Span> own)
      : rows_(files.rows()),
        an_epoch_(rows_ / config.batch),
        about_(fmt::format("data {}: {} rows in {} chunks, {}, normalised by {}", files.folder,
                           rows_, files.chunks.size(), trainers::name_of(files.type), scale.from)),
        device_(device),
        whole_(config.fixes.device_data),
        host_{scale.stats.mean.unsqueeze(2), (scale.stats.std + kDeviationEpsilon).unsqueeze(2)},
        on_device_{host_.mean.to(device), host_.std.to(device)},
        reader_(files, {.batch = config.batch,
                        .seed = config.seed,
                        .own = own,
                        .pinned = whole_ && device.is_cuda()}),
        copies_(device) {
    for (std::int64_t layer = 0; layer < files.layers; ++layer)
      of_targets_.push_back({on_device_.mean[1][layer][0], on_device_.std[1][layer][0]});
  }

  Result<Batch> next() override {
    ++taken_;
    if (whole_) return next_copied_whole();
    const Result<at::Tensor> rows = reader_.next();
    if (!rows) return rows.error();
    return one_by_one(*rows);
  }

  // The next ones: rows that no step took, while the first epoch lasts.
  Result<HeldOut> held_out(std::int64_t batches) override {
    HeldOut all;
    for (std::int64_t i = 0; i < batches; ++i) {
      Result<Batch> batch = next();
      if (!batch) return batch.error();
      all.batches.push_back(*batch);
    }
    all.trained_on = taken_ > an_epoch_;
    return all;
  }

  void skip(std::int64_t batches) override {
    if (batches == 0) return;
    taken_ += batches;
    const bool one_is_there = std::exchange(ahead_, std::nullopt).has_value();
    reader_.skip(one_is_there ? batches - 1 : batches);
  }
  const std::vector<Normalisation>& target_normalisation() const override { return of_targets_; }
  std::int64_t rows() const override { return rows_; }
  std::string about() const override { return about_; }

 private:
  using Copy = trainers::CopyAhead::Copy;

  static Batch split(const at::Tensor& rows) { return {rows[0].unbind(), rows[1].unbind()}; }

  Result<Copy> begin_copy(const Result<at::Tensor>& rows) const {
    if (!rows) return rows.error();
    return copies_.begin(*rows);
  }

  // While this batch is trained on, the next one is copied, where it has been read already.
  Result<Batch> next_copied_whole() {
    const Result<Copy> copy =
        ahead_ ? std::move(*std::exchange(ahead_, std::nullopt)) : begin_copy(reader_.next());
    if (!copy) return copy.error();
    if (const auto ready = reader_.ready()) ahead_ = begin_copy(*ready);
    return split(on_device_.apply(copies_.end(*copy)));
  }

  Batch one_by_one(const at::Tensor& rows) const {
    Batch batch;
    for (std::int64_t layer = 0; layer < rows.size(1); ++layer) {
      for (const std::int64_t side : {0, 1}) {
        const Normalisation by{host_.mean[side][layer], host_.std[side][layer]};
        (side == 0 ? batch.inputs : batch.targets)
            .push_back(by.apply(rows[side][layer]).to(device_));
      }
    }
    return batch;
  }

  const std::int64_t rows_, an_epoch_;  // the latter in batches
  const std::string about_;
  const at::Device device_;
  const bool whole_;
  const Normalisation host_, on_device_;  // [2, layers, 1, d_model], inputs then targets
  std::vector<Normalisation> of_targets_;
  BatchReader reader_;
  const trainers::CopyAhead copies_;
  std::optional<Result<Copy>> ahead_;
  std::int64_t taken_ = 0;  // batches, those that were skipped included
};

}  // namespace

Result<std::unique_ptr<ActivationStore>> open_file_store(const Config& config, at::Device device,
                                                         std::optional<trainers::Span> own) {
  const auto files = trainers::look_at(config.data, config.layers, config.d_model);
  if (!files) return files.error();
  if (files->rows() < config.batch)
    return bad_input(fmt::format("{}: it has {} rows, fewer than --batch {}", config.data,
                                 files->rows(), config.batch));
  const Result<Scale> scale = scale_of(*files);
  if (!scale) return scale.error();
  return std::unique_ptr<ActivationStore>(
      std::make_unique<FileStore>(*files, *scale, config, device, own));
}

}  // namespace stepscope::clt
