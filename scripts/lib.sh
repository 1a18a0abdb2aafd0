# SPDX-License-Identifier: Apache-2.0
# Sourced by setup, demo and test: where the tree is, how they speak, what setup found.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
torch_version=2.11
cores=$(env -u OMP_NUM_THREADS nproc)   # nproc answers that variable where it is set
torch_env=$root/.deps/torch.env   # written by setup: STEPSCOPE_PYTHON, STEPSCOPE_TORCH_DIR

say() { printf '== %s\n' "$*" >&2; }
die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }

has_gpu() { [ -e /dev/nvidiactl ]; }

# The names in the given package lists, one a line.
listed() { local name; for name in "$@"; do sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/scripts/requirements/$name"; done; }

load_torch() {
  [ -r "$torch_env" ] || die "LibTorch is not set up: run scripts/setup demo"
  set -a
  # shellcheck disable=SC1090
  . "$torch_env"
  set +a
}

# Our own files of a name pattern, without the tree's root.
own_files() {
  local folder folders=()
  for folder in core collectors kernels reference_trainers viewer reports cli tests; do
    if [ -d "$root/$folder" ]; then folders+=("$folder"); fi
  done
  (cd "$root" && find "${folders[@]}" -name "$1" | sort)
}

# Objects are shared between build folders where ccache is there.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
