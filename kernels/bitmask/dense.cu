// SPDX-License-Identifier: Apache-2.0
// Dense masks: 16 bytes of output a thread where rows allow it, else an entry a thread.
#include <algorithm>

#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/bitmask/grid.cuh"
#include "kernels/common/checks.hpp"
#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kBitsOfWord = 32;

// Whether the mask is one long row of bits, and the output is aligned.
bool flat(const Bitmask& mask, const void* a, const void* b) {
  const auto both = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
  return mask.columns % kBitsOfWord == 0 && both % sizeof(uint4) == 0;
}

__device__ bool bit_of_entry(const Bitmask& mask, std::int64_t entry) {
  const std::int64_t row = entry / mask.columns;
  const std::int64_t column = entry - row * mask.columns;
  const std::uint32_t word = mask.words[row * mask.words_per_row() + column / kBitsOfWord];
  return (word >> (column % kBitsOfWord) & 1U) != 0;
}

// Four bits, least first, as four bytes.
__device__ std::uint32_t bytes_of_bits(std::uint32_t bits) {
  return (bits & 0xfU) * 0x00204081U & 0x01010101U;
}

__global__ void __launch_bounds__(kGridThreads)
    flat_bytes_kernel(Bitmask mask, uint4* bytes, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += size_of_grid()) {
    const std::uint32_t bits = mask.words[i / 2] >> (i % 2 * 16);
    bytes[i] = {bytes_of_bits(bits), bytes_of_bits(bits >> 4), bytes_of_bits(bits >> 8),
                bytes_of_bits(bits >> 12)};
  }
}

__global__ void __launch_bounds__(kGridThreads)
    bytes_kernel(Bitmask mask, std::uint8_t* bytes, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += size_of_grid())
    bytes[i] = bit_of_entry(mask, i) ? 1 : 0;
}

// Ones in each byte of a word whose key is kept.
template <int kKeyBytes>
__device__ std::uint32_t kept_part(std::uint32_t bits, int word) {
  if constexpr (kKeyBytes == 4) return (bits >> word & 1U) != 0 ? ~0U : 0U;
  const std::uint32_t two = bits >> (2 * word);
  return ((two & 1U) != 0 ? 0xffffU : 0U) | ((two & 2U) != 0 ? 0xffff0000U : 0U);
}

template <int kKeyBytes>
__global__ void __launch_bounds__(kGridThreads)
    flat_keep_kernel(Bitmask mask, const uint4* keys, uint4* kept, std::int64_t count) {
  constexpr int kKeys = 16 / kKeyBytes;
  constexpr int kOfWord = kBitsOfWord / kKeys;
  for (std::int64_t i = first_of_grid(); i < count; i += size_of_grid()) {
    const std::uint32_t bits =
        mask.words[i / kOfWord] >> (i % kOfWord * kKeys) & ((1U << kKeys) - 1U);
    uint4 four{};  // most pieces have no key to read
    if (bits != 0) {
      four = keys[i];
      four.x &= kept_part<kKeyBytes>(bits, 0), four.y &= kept_part<kKeyBytes>(bits, 1);
      four.z &= kept_part<kKeyBytes>(bits, 2), four.w &= kept_part<kKeyBytes>(bits, 3);
    }
    kept[i] = four;
  }
}

template <class Key>
__global__ void __launch_bounds__(kGridThreads)
    keep_kernel(Bitmask mask, const Key* keys, Key* kept, std::int64_t count) {
  for (std::int64_t i = first_of_grid(); i < count; i += size_of_grid())
    kept[i] = bit_of_entry(mask, i) ? keys[i] : Key{0};
}

template <class Key>
void enqueue_keep(const Bitmask& mask, const void* keys, void* kept, cudaStream_t stream) {
  const std::int64_t entries = mask.rows * mask.columns;
  if (flat(mask, keys, kept)) {
    const std::int64_t count = entries * static_cast<std::int64_t>(sizeof(Key)) / 16;
    flat_keep_kernel<sizeof(Key)><<<grid_for(count), kGridThreads, 0, stream>>>(
        mask, static_cast<const uint4*>(keys), static_cast<uint4*>(kept), count);
  } else {
    keep_kernel<<<grid_for(entries), kGridThreads, 0, stream>>>(mask, static_cast<const Key*>(keys),
                                                                static_cast<Key*>(kept), entries);
  }
}

}  // namespace

Status bitmask_to_bytes(const Bitmask& mask, std::uint8_t* bytes, CUstream_st* stream) {
  if (Status status = validate(mask); !status.ok()) return status;
  const std::int64_t entries = mask.rows * mask.columns;
  if (entries == 0) return {};
  if (bytes == nullptr) return Status::bad_argument("bytes", "must point to a byte an entry");
  if (flat(mask, bytes, bytes))
    flat_bytes_kernel<<<grid_for(entries / 16), kGridThreads, 0, stream>>>(
        mask, reinterpret_cast<uint4*>(bytes), entries / 16);
  else
    bytes_kernel<<<grid_for(entries), kGridThreads, 0, stream>>>(mask, bytes, entries);
  return cuda_status(cudaGetLastError(), "bytes_kernel");
}

Status bitmask_keep(const Bitmask& mask, KeyType type, const void* keys, void* kept,
                    CUstream_st* stream) {
  if (Status status = validate(mask); !status.ok()) return status;
  if (mask.rows * mask.columns == 0) return {};
  if (!aligned_to(keys, bytes_of(type)))
    return Status::bad_argument("keys", "must point to keys, aligned to their size");
  if (!aligned_to(kept, bytes_of(type)))
    return Status::bad_argument("kept", "must point to keys, aligned to their size");
  if (bytes_of(type) == 4)
    enqueue_keep<std::uint32_t>(mask, keys, kept, stream);
  else
    enqueue_keep<std::uint16_t>(mask, keys, kept, stream);
  return cuda_status(cudaGetLastError(), "keep_kernel");
}

}  // namespace stepscope::kernels
