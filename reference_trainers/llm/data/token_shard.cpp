// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/token_shard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace stepscope::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeaderWords = 256, kHeaderBytes = 4 * kHeaderWords;

struct Format {
  std::int32_t magic, version;
  std::size_t width;
};
constexpr std::array kFormats{Format{20240520, 1, 2}, Format{20240801, 7, 4}};

Error shard_error(const std::string& path, const std::string& what) {
  return bad_input(fmt::format("token shard {}: {}", path, what));
}

Error failed_on(const std::string& path, const char* what, int number = errno) {
  return io_error(fmt::format("token shard {}: {}: {}", path, what, std::strerror(number)));
}

struct Mapping {
  std::shared_ptr<const void> memory;
  std::size_t bytes = 0;
};

Result<Mapping> map_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed_on(path, "cannot be opened");
  struct stat facts {};
  const bool known = fstat(file, &facts) == 0;
  const auto bytes = static_cast<std::size_t>(known ? facts.st_size : 0);
  if (!known || !S_ISREG(facts.st_mode) || bytes < kHeaderBytes) {
    ::close(file);
    return shard_error(
        path, fmt::format("it is no token shard: {} bytes, and its header alone has {}", bytes,
                          kHeaderBytes));
  }
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  const int problem = errno;
  ::close(file);
  if (memory == MAP_FAILED) return failed_on(path, "cannot be mapped", problem);
  return Mapping{{memory, [bytes](const void* at) { munmap(const_cast<void*>(at), bytes); }},
                 bytes};
}

std::int32_t word_of(const void* memory, std::size_t index) {
  std::int32_t word = 0;
  std::memcpy(&word, static_cast<const std::byte*>(memory) + 4 * index, sizeof word);
  return word;
}

Result<Format> format_of(const std::string& path, const void* memory) {
  const std::int32_t magic = word_of(memory, 0), version = word_of(memory, 1);
  for (const Format& format : kFormats) {
    if (format.magic != magic) continue;
    if (format.version == version) return format;
    return shard_error(path, fmt::format("version {} of its format is not known, {} is; write it "
                                         "again with a tool that writes that",
                                         version, format.version));
  }
  return shard_error(path, fmt::format("it is no token shard: it begins with {}, not with {} or {}",
                                       magic, kFormats[0].magic, kFormats[1].magic));
}

template <class Token>
std::int64_t widen(const std::byte* from, std::int64_t count, std::int64_t* out) {
  std::int64_t greatest = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    Token token{};
    std::memcpy(&token, from + static_cast<std::size_t>(i) * sizeof token, sizeof token);
    out[i] = static_cast<std::int64_t>(token);
    greatest = std::max(greatest, out[i]);
  }
  return greatest;
}

}  // namespace

Result<TokenShard> TokenShard::open(const std::string& path) {
  const Result<Mapping> mapping = map_file(path);
  if (!mapping) return mapping.error();
  const Result<Format> format = format_of(path, mapping->memory.get());
  if (!format) return format.error();
  const std::int64_t tokens = word_of(mapping->memory.get(), 2);
  const auto there = static_cast<std::int64_t>((mapping->bytes - kHeaderBytes) / format->width);
  if (tokens < 0 || tokens > there)
    return shard_error(path, fmt::format("it is truncated: its header says {} tokens, it holds {}; "
                                         "copy or make it again",
                                         tokens, there));
  if (mapping->bytes != kHeaderBytes + static_cast<std::size_t>(tokens) * format->width)
    return shard_error(path,
                       fmt::format("its header says {} tokens, but it holds {} and {} bytes; "
                                   "it is damaged, or was written to while it was read",
                                   tokens, there, (mapping->bytes - kHeaderBytes) % format->width));
  TokenShard shard;
  shard.path_ = path;
  shard.memory_ = mapping->memory;
  shard.tokens_ = static_cast<const std::byte*>(mapping->memory.get()) + kHeaderBytes;
  shard.size_ = tokens;
  shard.width_ = format->width;
  return shard;
}

TokenShard TokenShard::of(std::vector<std::uint16_t> tokens, std::string name) {
  const auto kept = std::make_shared<const std::vector<std::uint16_t>>(std::move(tokens));
  TokenShard shard;
  shard.path_ = std::move(name);
  shard.memory_ = kept;
  shard.tokens_ = reinterpret_cast<const std::byte*>(kept->data());
  shard.size_ = static_cast<std::int64_t>(kept->size());
  return shard;
}

Status TokenShard::copy(std::int64_t begin, std::int64_t count, std::int64_t vocabulary,
                        std::int64_t* out) const {
  const std::byte* from = tokens_ + static_cast<std::size_t>(begin) * width_;
  const std::int64_t greatest =
      width_ == 2 ? widen<std::uint16_t>(from, count, out) : widen<std::uint32_t>(from, count, out);
  if (greatest < vocabulary) return Done{};
  const auto at = std::find(out, out + count, greatest) - out;
  return shard_error(path_, fmt::format("token {} is {}, but the vocabulary has {}; it was made "
                                        "with another tokenizer: choose a preset or --vocabulary "
                                        "above {}",
                                        begin + at, greatest, vocabulary, greatest));
}

Status write_shard(const std::string& path, std::span<const std::uint16_t> tokens) {
  std::array<std::int32_t, kHeaderWords> header{kFormats[0].magic, kFormats[0].version,
                                                static_cast<std::int32_t>(tokens.size())};
  const std::string partial = path + ".partial";
  {
    std::ofstream file(partial, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(header.data()), kHeaderBytes);
    file.write(reinterpret_cast<const char*>(tokens.data()),
               static_cast<std::streamsize>(tokens.size_bytes()));
    file.flush();
    if (!file) {
      const Error error = failed_on(path, "cannot be written");
      (void)std::remove(partial.c_str());
      return error;
    }
  }
  if (std::rename(partial.c_str(), path.c_str()) != 0) return failed_on(path, "cannot be written");
  return Done{};
}

Result<std::vector<TokenShard>> open_shards(const std::string& path) {
  std::error_code problem;
  std::vector<std::string> files;
  if (fs::is_directory(path, problem)) {
    for (const auto& entry : fs::directory_iterator(path, problem))
      if (entry.path().extension() == ".bin") files.push_back(entry.path().string());
    if (files.empty())
      return bad_input(fmt::format(
          "--data {}: it holds no *.bin; 'train_llm --write-data {}' makes some", path, path));
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  std::vector<TokenShard> shards;
  for (const std::string& file : files) {
    Result<TokenShard> shard = TokenShard::open(file);
    if (!shard) return shard.error();
    shards.push_back(std::move(*shard));
  }
  return shards;
}

}  // namespace stepscope::llm
