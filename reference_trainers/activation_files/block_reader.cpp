// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/block_reader.hpp"

#include <algorithm>
#include <utility>

namespace stepscope::trainers {
namespace {

std::vector<std::int64_t> rows_of(const std::vector<RowSpan>& spans) {
  std::vector<std::int64_t> rows;
  for (const RowSpan& span : spans) rows.push_back(span.rows);
  return rows;
}

}  // namespace

std::vector<RowSpan> cut(const ActivationFiles& files, std::int64_t most_bytes) {
  const std::int64_t most = std::max<std::int64_t>(1, most_bytes / files.bytes_per_row());
  std::vector<RowSpan> spans;
  for (std::size_t chunk = 0; chunk < files.chunks.size(); ++chunk) {
    const std::int64_t rows = files.chunks[chunk].rows, count = (rows + most - 1) / most;
    for (std::int64_t i = 0; i < count; ++i)
      spans.push_back({chunk, rows * i / count, rows * (i + 1) / count - rows * i / count});
  }
  return spans;
}

BlockReader::BlockReader(ActivationFiles files, std::int64_t most_bytes, at::Generator random)
    : files_(std::move(files)),
      spans_(cut(files_, most_bytes)),
      order_(rows_of(spans_), std::move(random)),
      memory_(files_.type, /*pinned=*/false) {}

Result<Block> BlockReader::next() {
  BlockDraw draw = order_.next();
  const RowSpan& span = spans_[draw.block];
  Result<at::Tensor> values = read(span);
  if (!values) return values.error();
  return Block{std::move(draw), span, *values};
}

Result<at::Tensor> BlockReader::read(const RowSpan& span) {
  if (const Status opened = open(span.chunk); !opened) return opened.error();
  const at::Tensor values = free_memory(span.rows);
  for (std::int64_t side = 0; side < 2; ++side) {
    for (std::int64_t layer = 0; layer < files_.layers; ++layer) {
      const Status done = file_->read(dataset_name(layer, side), span.first,
                                      values.select(0, side).select(0, layer));
      if (!done) return done.error();
    }
  }
  return values;
}

at::Tensor BlockReader::free_memory(std::int64_t rows) {
  const auto most = std::max_element(
      spans_.begin(), spans_.end(),
      [](const RowSpan& one, const RowSpan& other) { return one.rows < other.rows; });
  const std::int64_t row = 2 * files_.layers * files_.d_model;
  return memory_.take(row * most->rows)
      .slice(0, 0, row * rows)
      .view({2, files_.layers, rows, files_.d_model});
}

Status BlockReader::open(std::size_t chunk) {
  if (file_ != nullptr && open_chunk_ == chunk) return Done{};
  file_.reset();
  auto opened = trainers::open_chunk(files_.chunks[chunk].path);
  if (!opened) return opened.error();
  file_ = std::move(*opened);
  open_chunk_ = chunk;
  return Done{};
}

}  // namespace stepscope::trainers
