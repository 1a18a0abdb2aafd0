// SPDX-License-Identifier: Apache-2.0
// How fast the reader of activation files is, against reading the same files' bytes and nothing
// more, one after the other in one thread:
//   train_clt --layers 12 --d-model 768 --rows 32768 --chunk-rows 8192 --write-data FOLDER
//   activation_reader_bench FOLDER LAYERS D_MODEL BATCH EPOCHS
// Each epoch's figure is printed; the first may read from the disk, later ones from the page cache.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "reference_trainers/activation_files/batch_reader.hpp"

namespace {

using namespace stepscope::trainers;
using Clock = std::chrono::steady_clock;

void print(const char* what, std::int64_t rows, std::int64_t row_bytes, Clock::time_point begin) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto count = static_cast<double>(rows);
  std::printf("%-28s %10.0f rows/s %7.2f GB/s\n", what, count / seconds,
              count * static_cast<double>(row_bytes) / seconds / 1e9);
}

void read_bytes(const ActivationFiles& files) {
  static std::vector<char> buffer(1 << 20);
  for (const ActivationFiles::Chunk& chunk : files.chunks) {
    const int file = open(chunk.path.c_str(), O_RDONLY | O_CLOEXEC);
    while (read(file, buffer.data(), buffer.size()) > 0) continue;
    close(file);
  }
}

int read_blocks(const ActivationFiles& files, std::int64_t bytes) {
  BlockReader reader(files, bytes, at::Generator());
  for (const RowSpan& span : reader.spans()) {
    if (!reader.read(span)) return 1;
  }
  return 0;
}

int read_batches(BatchReader& reader, std::int64_t batches) {
  for (std::int64_t i = 0; i < batches; ++i) {
    if (const auto batch = reader.next(); !batch) {
      std::fprintf(stderr, "%s\n", batch.error().message.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const auto files = look_at(arguments[1], std::atoll(arguments[2]), std::atoll(arguments[3]));
  if (!files) {
    std::fprintf(stderr, "%s\n", files.error().message.c_str());
    return 1;
  }
  const ReaderSettings settings{.batch = std::atoll(arguments[4]), .seed = 0};
  const std::int64_t rows = files->rows(), batches = rows / settings.batch;
  BatchReader reader(*files, settings);
  for (int epoch = 0; epoch < std::atoi(arguments[5]); ++epoch) {
    auto begin = Clock::now();
    read_bytes(*files);
    print("read()", rows, files->bytes_per_row(), begin);
    begin = Clock::now();
    if (read_blocks(*files, settings.block_bytes) != 0) return 1;
    print("blocks (HDF5)", rows, files->bytes_per_row(), begin);
    begin = Clock::now();
    if (read_batches(reader, batches) != 0) return 1;
    print("shuffled, checked batches", batches * settings.batch, files->bytes_per_row(), begin);
  }
}
