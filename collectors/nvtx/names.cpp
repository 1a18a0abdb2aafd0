// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/names.hpp"

#include "collectors/nvtx/callbacks.hpp"

namespace stepscope::nvtx {
namespace {

using recorder::LabelKind;

template <LabelKind kind, typename Char>
void name_device(int device, const Char* name) noexcept {
  recorder::label(kind, static_cast<std::uint64_t>(device), label_of(name));
}

template <LabelKind kind, typename Char>
void name_handle(const void* handle, const Char* name) noexcept {
  recorder::label(kind, reinterpret_cast<std::uintptr_t>(handle), label_of(name));
}

struct ResourceLabel {
  std::int32_t type;
  LabelKind kind;
};
constexpr ResourceLabel kResourceLabels[] = {
    {kResourceThreadNative, LabelKind::thread},    {kResourceCuDevice, LabelKind::cuda_device},
    {kResourceCuContext, LabelKind::cuda_context}, {kResourceCuStream, LabelKind::cuda_stream},
    {kResourceCuEvent, LabelKind::cuda_event},     {kResourceCudaDevice, LabelKind::cuda_device},
    {kResourceCudaStream, LabelKind::cuda_stream}, {kResourceCudaEvent, LabelKind::cuda_event},
};

}  // namespace

const void* create_resource(const Domain*, const ResourceAttributes* resource) noexcept {
  static constexpr char kHandle = 0;  // nobody looks behind it, it only must not be null
  if (resource == nullptr || resource->size < sizeof(ResourceAttributes)) return &kHandle;
  for (const ResourceLabel& known : kResourceLabels) {
    if (known.type != resource->identifier_type) continue;
    recorder::label(known.kind, resource->identifier,
                    label_of(resource->message_type, resource->message));
  }
  return &kHandle;
}

std::span<const Callback> cuda_callbacks() noexcept {
  static const Callback kCallbacks[] = {
      callback(1, name_device<LabelKind::cuda_device, char>),
      callback(2, name_device<LabelKind::cuda_device, wchar_t>),
      callback(3, name_handle<LabelKind::cuda_context, char>),
      callback(4, name_handle<LabelKind::cuda_context, wchar_t>),
      callback(5, name_handle<LabelKind::cuda_stream, char>),
      callback(6, name_handle<LabelKind::cuda_stream, wchar_t>),
      callback(7, name_handle<LabelKind::cuda_event, char>),
      callback(8, name_handle<LabelKind::cuda_event, wchar_t>),
  };
  return kCallbacks;
}

std::span<const Callback> cudart_callbacks() noexcept {
  static const Callback kCallbacks[] = {
      callback(1, name_device<LabelKind::cuda_device, char>),
      callback(2, name_device<LabelKind::cuda_device, wchar_t>),
      callback(3, name_handle<LabelKind::cuda_stream, char>),
      callback(4, name_handle<LabelKind::cuda_stream, wchar_t>),
      callback(5, name_handle<LabelKind::cuda_event, char>),
      callback(6, name_handle<LabelKind::cuda_event, wchar_t>),
  };
  return kCallbacks;
}

}  // namespace stepscope::nvtx
