// SPDX-License-Identifier: Apache-2.0
// Names that NVTX users give to threads, categories and CUDA objects: labels of the trace's rows.
#pragma once

#include <cstdint>

#include "collectors/nvtx/domains.hpp"
#include "collectors/nvtx/messages.hpp"

namespace stepscope::nvtx {

// A category's number is unique within its domain only: label id = domain index << 32 | category.
inline std::uint64_t category_label(const Domain* domain, std::uint32_t category) noexcept {
  return std::uint64_t{index_of(domain)} << 32 | category;
}

template <typename Char>
void name_domain_category(const Domain* domain, std::uint32_t category, const Char* name) noexcept {
  recorder::label(recorder::LabelKind::category, category_label(domain, category), label_of(name));
}

template <typename Char>
void name_category(std::uint32_t category, const Char* name) noexcept {
  name_domain_category(nullptr, category, name);
}

template <typename Char>
void name_thread(std::uint32_t thread, const Char* name) noexcept {
  recorder::label(recorder::LabelKind::thread, thread, label_of(name));
}

const void* create_resource(const Domain* domain, const ResourceAttributes* resource) noexcept;

}  // namespace stepscope::nvtx
