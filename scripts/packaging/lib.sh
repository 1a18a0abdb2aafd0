# SPDX-License-Identifier: Apache-2.0
# Sourced by build-wheel, test-wheel, test-matrix and release, after scripts/lib.sh.

work=$root/build/packaging   # what they fetch and make; removed, it is made anew
dist=$root/build/dist         # what users get

# The newest glibc whose symbols a wheel may need, as its platform tag says it.
glibc_minor=17

project_version() { sed -n 's/^project(stepscope VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt"; }

wheel_file() { printf '%s/stepscope-%s-py3-none-manylinux_2_%s_x86_64.whl' "$dist" "$(project_version)" "$glibc_minor"; }

# Where this machine gets its Debian packages from, unless STEPSCOPE_DEBIAN_MIRROR names another place.
debian_mirror() {
  local found=${STEPSCOPE_DEBIAN_MIRROR:-}
  [ -n "$found" ] || found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
  [ -n "$found" ] || die "apt knows no Debian mirror: name one in STEPSCOPE_DEBIAN_MIRROR"
  printf '%s\n' "$found"
}

# elf_needs FILE: the newest glibc version that a program or library needs, its minor number alone.
elf_needs() { readelf -V "$1" | grep -o 'GLIBC_2\.[0-9]*' | sed 's/.*\.//' | sort -n | tail -n 1; }

# torch_folder VERSION-PYTHON: that PyTorch of PyPI for that Python, to be put on PYTHONPATH; fetched once.
torch_folder() {
  local folder=$work/torch/$1
  if [ ! -e "$folder.done" ]; then
    say "PyPI: torch ${1%-*} for Python ${1#*-}"
    rm -rf "$folder"
    python3 "$root/scripts/packaging/torch_folder.py" "${1%-*}" "${1#*-}" "$folder" >&2
    touch "$folder.done"
  fi
  printf '%s\n' "$folder"
}

# chroot_of SUITE: a fresh Debian of that name with nothing but Python, as root. Its base is made once.
chroot_of() {
  local suite=$1 base=$work/chroots/$1.base fresh=$work/chroots/$1
  [ "$(id -u)" -eq 0 ] || die "chroots are made and entered as root"
  command -v debootstrap > /dev/null || die "debootstrap is missing: scripts/setup package"
  if [ ! -e "$base.done" ]; then
    say "Debian $suite: debootstrap"
    rm -rf "$base"
    mkdir -p "$work/chroots"
    debootstrap --variant=minbase --include=python3,python3-venv,python3-pip,ca-certificates \
      "$suite" "$base" "$(debian_mirror)" > "$work/chroots/$suite.log" 2>&1 ||
      die "debootstrap $suite failed: see $work/chroots/$suite.log"
    touch "$base.done"
  fi
  rm -rf "$fresh"
  cp -a --reflink=auto "$base" "$fresh"
  printf '%s\n' "$fresh"
}

# in_chroot FOLDER COMMAND...: with /proc, /dev and the network's names, in a mount namespace that ends with it.
# A folder named in `carried` is seen there, read-only, as /carried.
in_chroot() {
  local folder=$1; shift
  mkdir -p "$folder/carried"
  unshare --mount -- bash -euc '
    folder=$1 carried=$2; shift 2
    if [ -n "$carried" ]; then mount --bind -o ro "$carried" "$folder/carried"; fi
    mount -t proc proc "$folder/proc"
    mount --bind /dev "$folder/dev"
    cp -L /etc/resolv.conf /etc/hosts "$folder/etc/" 2> /dev/null || true
    exec chroot "$folder" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
  ' bash "$folder" "${carried:-}" "$@"
}
