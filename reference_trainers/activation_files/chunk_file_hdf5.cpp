// SPDX-License-Identifier: Apache-2.0
#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <hdf5.h>

#include <array>
#include <mutex>
#include <utility>

#include "reference_trainers/activation_files/chunk_file.hpp"
#include "reference_trainers/activation_files/element_kind.hpp"

namespace stepscope::trainers {
namespace {

// Around each use of the library: one thread at a time, since it may have been built without
// locks of its own, and nothing printed by it.
class Library {
 public:
  Library() : turn_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Library() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

  std::lock_guard<std::mutex> turn_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// An id of the library's; negative where it could not be had.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle(hid_t id, Close function) : id_(id), close_(function) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  hid_t operator*() const { return id_; }
  bool ok() const { return id_ >= 0; }
  // Whether closing succeeded: a file's data may reach the disk only then.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  Close close_;
};

// The library's first reason for its last failure.
std::string reason() {
  std::string text;
  const auto keep = [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep, &text);
  return text.empty() ? "HDF5 gives no reason" : text;
}

Handle half_type() {
  Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  H5Tset_fields(*type, 15, 10, 5, 0, 10);
  H5Tset_size(*type, 2);
  H5Tset_ebias(*type, 15);
  return type;
}

Handle file_type(at::ScalarType type) {
  if (type == at::kHalf) return half_type();
  return {H5Tcopy(type == at::kFloat ? H5T_IEEE_F32LE : H5T_STD_U16LE), H5Tclose};
}

class Hdf5Chunk final : public ChunkFile {
 public:
  Hdf5Chunk(std::string path, hid_t file) : path_(std::move(path)), file_(file, H5Fclose) {}
  ~Hdf5Chunk() override {
    const Library library;
    file_.close();
  }

  std::int64_t layers() const override {
    const Library library;
    std::int64_t count = 0;
    while (H5Lexists(*file_, fmt::format("layer_{}", count).c_str(), H5P_DEFAULT) > 0) ++count;
    return count;
  }

  Result<DatasetShape> shape(const std::string& dataset) const override {
    const Library library;
    const Handle data(H5Dopen2(*file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data.ok())
      return wrong(dataset, "it is missing, damaged, or of a newer HDF5 (" + reason() + ")");
    return shape_of(dataset, *data);
  }

  Status read(const std::string& dataset, std::int64_t first,
              const at::Tensor& out) const override {
    const Library library;
    const Handle data(H5Dopen2(*file_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data.ok())
      return wrong(dataset, "it is missing, damaged, or of a newer HDF5 (" + reason() + ")");
    // The file may be another one by now: what is read must fit the memory that it goes to.
    const Result<DatasetShape> shape = shape_of(dataset, *data);
    if (!shape) return shape.error();
    if (shape->type != out.scalar_type() || shape->width != out.size(1) ||
        shape->rows < first + out.size(0))
      return wrong(dataset, "it has changed since it was first looked at");
    return read_rows(dataset, *data, first, out);
  }

 private:
  Error wrong(const std::string& dataset, const std::string& what) const {
    return bad_input(fmt::format("{}: {}: {}", path_, dataset, what));
  }

  Result<DatasetShape> shape_of(const std::string& dataset, hid_t data) const {
    const Handle space(H5Dget_space(data), H5Sclose);
    std::array<hsize_t, 2> sizes{};
    if (!space.ok() || H5Sget_simple_extent_ndims(*space) != 2 ||
        H5Sget_simple_extent_dims(*space, sizes.data(), nullptr) != 2)
      return wrong(dataset, "it is not a table of rows and columns");
    if (H5Dget_storage_size(data) == 0) return wrong(dataset, "no values were written to it");
    const Handle stored(H5Dget_type(data), H5Tclose);
    for (const ElementKind& kind : kElementKinds) {
      if (stored.ok() && H5Tequal(*stored, *file_type(kind.type)) > 0)
        return DatasetShape{kind.type, static_cast<std::int64_t>(sizes[0]),
                            static_cast<std::int64_t>(sizes[1])};
    }
    return wrong(dataset,
                 "its numbers are neither float32, float16 nor uint16 (the bits of bfloat16), "
                 "little-endian");
  }

  Status read_rows(const std::string& dataset, hid_t data, std::int64_t first,
                   const at::Tensor& out) const {
    const std::array begin{static_cast<hsize_t>(first), hsize_t{0}};
    const std::array count{static_cast<hsize_t>(out.size(0)), static_cast<hsize_t>(out.size(1))};
    const Handle from(H5Dget_space(data), H5Sclose);
    const Handle to(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
    const Handle type(H5Dget_type(data), H5Tclose);
    if (H5Sselect_hyperslab(*from, H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr) <
            0 ||
        H5Dread(data, *type, *to, *from, H5P_DEFAULT, out.data_ptr()) < 0)
      return wrong(dataset, "it cannot be read (" + reason() + ")");
    return Done{};
  }

  std::string path_;
  Handle file_;
};

Error not_written(const std::string& path, const std::string& dataset) {
  return io_error(fmt::format("{}: {}cannot be written ({})", path, dataset, reason()));
}

Status write_rows(hid_t file, const std::string& path, const std::string& name,
                  const at::Tensor& rows) {
  const std::array sizes{static_cast<hsize_t>(rows.size(0)), static_cast<hsize_t>(rows.size(1))};
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(*groups, 1);
  const Handle space(H5Screate_simple(2, sizes.data(), nullptr), H5Sclose);
  const Handle type = file_type(rows.scalar_type());
  Handle data(H5Dcreate2(file, name.c_str(), *type, *space, *groups, H5P_DEFAULT, H5P_DEFAULT),
              H5Dclose);
  const at::Tensor plain = rows.contiguous();
  if (!data.ok() || H5Dwrite(*data, *type, H5S_ALL, H5S_ALL, H5P_DEFAULT, plain.data_ptr()) < 0 ||
      !data.close())
    return not_written(path, name + ": ");
  return Done{};
}

}  // namespace

// A lock on the file would fail where its file system knows none; nobody writes it.
Result<std::unique_ptr<ChunkFile>> open_chunk(const std::string& path) {
  const Library library;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(*access, false, true);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, *access);
  if (file < 0) return bad_input(fmt::format("{}: no whole HDF5 file ({})", path, reason()));
  return std::unique_ptr<ChunkFile>(std::make_unique<Hdf5Chunk>(path, file));
}

Status write_chunk(const std::string& path, const NamedRows& datasets) {
  const Library library;
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file.ok()) return not_written(path, "");
  for (const auto& [name, rows] : datasets) {
    if (Status written = write_rows(*file, path, name, rows); !written) return written;
  }
  return file.close() ? Status(Done{}) : Status(not_written(path, ""));
}

Status chunk_files_work() {
  return Done{};
}

}  // namespace stepscope::trainers
