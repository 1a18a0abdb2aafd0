// SPDX-License-Identifier: Apache-2.0
// Stores with damaged files, by fixed mutations: whatever the bytes are, a store is read or an
// Error says why not. Each store is read in a child process, so that a crash within the HDF5
// library is a failed test that names its case, and not the end of all of them.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "reference_trainers/activation_files/batch_reader.hpp"
#include "reference_trainers/activation_files/measured_stats.hpp"
#include "tests/fuzz/mutations.hpp"
#include "tests/reference_trainers/activation_files/store_folder.hpp"

namespace stepscope::trainers {
namespace {

constexpr int kRead = 0, kRefused = 1;

class DamagedFiles : public StoreFolder {
 protected:
  // As the trainer reads it.
  static int read(const std::string& store) {
    const auto files = look_at(store, 2, 4);
    if (!files || files->rows() < 8) return kRefused;
    if (!read_norm_stats(store + "/norm_stats.json", 2, 4)) return kRefused;
    if (!measure_stats(*files, 20)) return kRefused;
    BatchReader reader(*files, {.batch = 8, .seed = 0});
    for (int i = 0; i < 3; ++i) {
      if (!reader.next()) return kRefused;
    }
    return kRead;
  }

  // The exit status of a child that reads it, or -signal.
  static int read_in_child(const std::string& store) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(read(store));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  // Returns how many of `count` mutations of a file of the store were refused.
  int refused(const std::string& file, int count, std::vector<std::string> tokens) const {
    const std::string store = written(20, 10), path = store + "/" + file, sound = bytes_of(path);
    Mutations mutations({sound}, std::move(tokens), 1);
    int refusals = 0;
    for (int i = 0; i < count; ++i) {
      put(path, mutations.next());
      const int status = read_in_child(store);
      EXPECT_THAT(status, testing::AnyOf(kRead, kRefused)) << file << ", mutation " << i;
      if (status == kRefused) ++refusals;
    }
    std::filesystem::remove_all(store);
    return refusals;
  }
};

TEST_F(DamagedFiles, AChunk) {
  EXPECT_GT(refused("chunk_1.h5", 150, {"\x89HDF", "TREE", "SNOD", "HEAP", "\xff\xff\xff\xff"}),
            50);
}

TEST_F(DamagedFiles, AChunkCutAtAnyLength) {
  const std::string store = written(20, 10), path = store + "/chunk_1.h5", sound = bytes_of(path);
  for (std::size_t size = 0; size < sound.size(); size += 97) {
    put(path, sound.substr(0, size));
    EXPECT_EQ(read_in_child(store), kRefused) << size << " bytes of " << sound.size();
  }
}

TEST_F(DamagedFiles, TheFilesBesideTheChunks) {
  EXPECT_GT(refused("index.bin", 40, {"\xff\xff\xff\xff"}), 20);
  EXPECT_GT(refused("metadata.json", 40, {"{", "\"", "-1", "1e999"}), 5);
  EXPECT_GT(refused("norm_stats.json", 40, {"NaN", "[", "}", "-1", "1e999"}), 5);
}

}  // namespace
}  // namespace stepscope::trainers
