// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/call_sites.hpp"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

// Anywhere in the path: code that is installed, or generated.
constexpr std::array<std::string_view, 4> kInstalled = {"site-packages/", "dist-packages/",
                                                        "<frozen", "/torchinductor_"};

// First part of a stripped path: packages that training programs stand on.
constexpr std::array<std::string_view, 45> kPackages = {"torch",
                                                        "torchvision",
                                                        "torchaudio",
                                                        "torchtitan",
                                                        "torchao",
                                                        "torchdata",
                                                        "torchtext",
                                                        "triton",
                                                        "functorch",
                                                        "numpy",
                                                        "scipy",
                                                        "pandas",
                                                        "pyarrow",
                                                        "h5py",
                                                        "PIL",
                                                        "cv2",
                                                        "matplotlib",
                                                        "sklearn",
                                                        "transformers",
                                                        "accelerate",
                                                        "tokenizers",
                                                        "safetensors",
                                                        "huggingface_hub",
                                                        "peft",
                                                        "trl",
                                                        "diffusers",
                                                        "timm",
                                                        "lightning",
                                                        "lightning_fabric",
                                                        "pytorch_lightning",
                                                        "lightning_utilities",
                                                        "torchmetrics",
                                                        "deepspeed",
                                                        "megatron",
                                                        "apex",
                                                        "flash_attn",
                                                        "xformers",
                                                        "bitsandbytes",
                                                        "einops",
                                                        "tqdm",
                                                        "wandb",
                                                        "tensorboard",
                                                        "fsspec",
                                                        "jax",
                                                        "ignite"};

// Parts of Hugging Face's package. Its name alone is not enough: many programs have a folder of
// that name.
constexpr std::array<std::string_view, 12> kHuggingFaceDatasets = {
    "arrow_dataset.py",    "arrow_reader.py", "arrow_writer.py", "builder.py",
    "data_files.py",       "dataset_dict.py", "features",        "fingerprint.py",
    "iterable_dataset.py", "formatting",      "load.py",         "packaged_modules"};

// Standard library modules that show up on the stacks of training programs.
constexpr std::array<std::string_view, 62> kStandard = {"abc",         "argparse",
                                                        "ast",         "asyncio",
                                                        "atexit",      "base64",
                                                        "bisect",      "codecs",
                                                        "collections", "concurrent",
                                                        "contextlib",  "copy",
                                                        "copyreg",     "csv",
                                                        "ctypes",      "dataclasses",
                                                        "datetime",    "enum",
                                                        "fractions",   "functools",
                                                        "gc",          "glob",
                                                        "gzip",        "hashlib",
                                                        "heapq",       "importlib",
                                                        "inspect",     "io",
                                                        "itertools",   "json",
                                                        "linecache",   "locale",
                                                        "logging",     "multiprocessing",
                                                        "numbers",     "operator",
                                                        "os",          "pathlib",
                                                        "pickle",      "platform",
                                                        "posixpath",   "queue",
                                                        "random",      "re",
                                                        "runpy",       "selectors",
                                                        "shutil",      "signal",
                                                        "socket",      "statistics",
                                                        "string",      "struct",
                                                        "subprocess",  "tempfile",
                                                        "textwrap",    "threading",
                                                        "time",        "traceback",
                                                        "types",       "typing",
                                                        "warnings",    "weakref"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// "python3.11", "python3.13t" or "python311.zip": where a standard library lies.
bool is_library_folder(std::string_view folder) {
  constexpr std::string_view kName = "python3";
  if (!folder.starts_with(kName)) return false;
  const auto end = folder.find_first_not_of(".0123456789", kName.size());
  const std::string_view rest =
      end == std::string_view::npos ? std::string_view() : folder.substr(end);
  return folder.size() > kName.size() && (rest.empty() || rest == "t" || rest == "zip");
}

bool in_standard_library(std::string_view path) {
  for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    if (is_library_folder(path.substr(0, slash))) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

// `rest` is the path within the first folder.
bool is_package(std::string_view folder, std::string_view rest) {
  if (folder == "datasets") return contains(kHuggingFaceDatasets, rest.substr(0, rest.find('/')));
  return contains(kPackages, folder) || contains(kStandard, folder);
}

}  // namespace

bool is_user_file(std::string_view path) {
  if (path.empty() || path.front() == '<') return false;
  for (std::string_view part : kInstalled) {
    if (path.find(part) != std::string_view::npos) return false;
  }
  if (in_standard_library(path)) return false;
  if (path.front() == '/') return true;
  const auto slash = path.find('/');
  const std::string_view first = path.substr(0, slash);
  if (slash != std::string_view::npos) return !is_package(first, path.substr(slash + 1));
  const std::string_view module = first.substr(0, first.rfind(".py"));
  return !contains(kStandard, module);
}

}  // namespace stepscope
