#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch_folder.py VERSION PYTHON FOLDER: a PyTorch of PyPI that imports on a machine without a GPU, in FOLDER.

PyPI's torch for Linux is a CUDA build, and its own list of packages takes 3 to 5 GB a version. A CPU program calls
none of them but libcudart and libcupti, which run code when they are loaded. In place of the others stand empty
libraries that define the symbols which are asked for, with the versions that are asked for; whoever calls one dies.
PYTHON is the version that the folder is for, as 3.11. Needs pip, cc and readelf.
"""
import collections
import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile

PURE = ["typing_extensions", "filelock", "fsspec", "jinja2", "networkx", "sympy", "numpy"]
SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|ld-linux.*|libstdc\+\+|libgcc_s|libcuda)\.so")
OF_CUDA = re.compile(r"_*(cu|nccl|nvrtc|nvJit|nvshmem|nvml|ZN?K?\d*(cu|nv))")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def install(folder, python, packages, dependencies=False):
    tags = ["manylinux1_x86_64", "manylinux2014_x86_64"] + [f"manylinux_2_{minor}_x86_64" for minor in range(5, 29)]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--no-cache-dir", "--disable-pip-version-check", "--root-user-action=ignore",
               "--target", str(folder), "--python-version", python, "--implementation", "cp", "--only-binary=:all:"]
    for tag in tags:
        command += ["--platform", tag]
    subprocess.run(command + ([] if dependencies else ["--no-deps"]) + packages, check=True)


def cuda_packages(folder):
    """The two of torch's list that are real, by their pins; since 2.12 they hang on cuda-toolkit."""
    wanted = []
    (distribution,) = importlib.metadata.distributions(name="torch", path=[str(folder)])
    for line in distribution.requires or []:
        name = re.match(r"[A-Za-z0-9_-]+", line)[0]
        version = re.search(r"==\s*([0-9.]+)", line)
        if re.fullmatch(r"nvidia-cuda-(runtime|cupti)(-cu\d+)?", name):
            wanted.append(f"{name}=={version[1]}")
        if name == "cuda-toolkit":
            wanted.append(f"cuda-toolkit[cudart,cupti]=={version[1]}")
    return wanted


class Symbols:
    """What shared objects ask for and give."""

    def __init__(self, own, given):
        self.needed, self.undefined, self.defined, self.file_of = set(), set(), set(), {}
        for path in own + given:
            self._read_symbols(path, path in own)
        for path in own:
            self._read_needs(path)

    def _read_symbols(self, path, asks):
        for line in run("readelf", "-W", "--dyn-syms", str(path)).splitlines():
            field = line.split()
            if len(field) < 8 or not field[0].endswith(":"):
                continue
            if field[6] != "UND":
                self.defined.add(field[7].split("@")[0])
            elif asks and field[4] == "GLOBAL":
                self.undefined.add(field[7])

    def _read_needs(self, path):
        text, library = run("readelf", "-W", "-d", "-V", str(path)), None
        self.needed |= set(re.findall(r"NEEDED.*\[(.*)\]", text))
        for line in text.splitlines():
            if found := re.search(r"File: (\S+)\s+Cnt", line):
                library = found[1]
            elif library and (found := re.search(r"Name: (\S+)\s+Flags.*Version: \d+", line)):
                self.file_of[found[1]] = library


def make_empty_libraries(folder):
    libraries = folder / "torch" / "lib"
    own = sorted(libraries.glob("*.so*"))
    given = [path for path in folder.glob("nvidia/**/*.so*") if path.is_file()]
    symbols = Symbols(own, given)
    present = {path.name for path in own + given}
    missing = sorted(name for name in symbols.needed if name not in present and not SYSTEM.match(name))
    wanted = collections.defaultdict(lambda: collections.defaultdict(list))
    for symbol in sorted(symbols.undefined):
        name, _, version = symbol.partition("@")
        if name in symbols.defined:
            continue
        if symbols.file_of.get(version.lstrip("@")) in missing:
            wanted[symbols.file_of[version]][version].append(name)
        elif not version and OF_CUDA.match(name) and missing:
            wanted[missing[0]][""].append(name)
    for library in missing:
        make_library(libraries / library, wanted[library])


def make_library(path, versions):
    body = ".text\n" + "".join(f".globl {name}\n.type {name},@function\n{name}: ud2\n"
                               for names in versions.values() for name in names)
    script = "".join(f"{version} {{ global: {'; '.join(names)}; }};\n" for version, names in versions.items() if version)
    with tempfile.NamedTemporaryFile("w", suffix=".map") as file:
        file.write(script)
        file.flush()
        options = [f"-Wl,--version-script={file.name}"] if script else []
        subprocess.run(["cc", "-shared", "-nostdlib", f"-Wl,-soname,{path.name}", *options, "-o", str(path), "-x", "assembler", "-"],
                       input=body, text=True, check=True)


def main():
    version, python, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    install(folder, python, [f"torch=={version}"])
    install(folder, python, cuda_packages(folder), dependencies=True)
    install(folder, python, PURE, dependencies=True)
    make_empty_libraries(folder)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
