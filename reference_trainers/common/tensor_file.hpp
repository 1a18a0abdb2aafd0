// SPDX-License-Identifier: Apache-2.0
// Files of named numbers, strings and tensors: a dictionary in PyTorch's own format. A file appears
// whole or not at all: it is written beside its place, brought to the disk and renamed.
//
// Its entry `checksum` is of all the others (common/checksum.hpp), for PyTorch's reader does not
// check what it reads. A file without it, or with another, is refused: it is damaged, older, or was
// changed by another program.
//
// From Python: all = torch.load(FILE, weights_only=False); all["step"], all["thresholds"], ...
// The names are listed where each kind is written: checkpoint.hpp, and conversion.hpp of the CLT.
#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::trainers {

using Dictionary = c10::Dict<c10::IValue, c10::IValue>;

Dictionary empty_dictionary();

// Null where there is none of that name.
const c10::IValue* find(const Dictionary& all, const std::string& name);

// An Error where no such file could be written: to be asked before there is anything to write.
Status check_writable(const std::string& kind, const std::string& path);

// An Error begins with `kind` and the file's name, and leaves what was there. `on_disk`, where it
// is not empty, is called before the file is renamed.
Status write_tensor_file(const std::string& kind, const std::string& path, const Dictionary& all,
                         const std::function<void()>& on_disk = {});

// An Error says the same of a file that is missing or damaged.
Result<Dictionary> read_tensor_file(const std::string& kind, const std::string& path);

}  // namespace stepscope::trainers
