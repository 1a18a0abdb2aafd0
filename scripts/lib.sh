# SPDX-License-Identifier: Apache-2.0
# Sourced by setup, demo and test: where the tree is, how they speak, what setup found. With --help a script prints the
# comment at its head, and ends.

case ${1:-} in
  -h|--help) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

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

# The commit that a change is judged against: STEPSCOPE_BASE, or the newest that is a day older than the last one.
# Prints nothing where there is no history; everything counts as changed then.
change_base() {
  if [ -n "${STEPSCOPE_BASE:-}" ]; then git -C "$root" rev-parse --verify --quiet "$STEPSCOPE_BASE^{commit}" ||
    die "STEPSCOPE_BASE names no commit: $STEPSCOPE_BASE"; return; fi
  git -C "$root" rev-list -1 --before="$(($(git -C "$root" log -1 --format=%ct) - 86400))" HEAD 2>/dev/null || true
}

# has_changed PATH...: whether one of these differs from that commit.
has_changed() {
  local base; base=$(change_base)
  [ -z "$base" ] || ! git -C "$root" diff --quiet "$base" -- "$@" ||
    [ -n "$(git -C "$root" ls-files --others --exclude-standard -- "$@")" ]
}

# Objects are shared between build folders where ccache is there.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
