#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed folder runs on its own: every library but glibc's comes from within it.
# usage: carried_test.sh BUILD_DIR TRACE [PROGRAM]      PROGRAM: is recorded there, where stepscope can record
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --component cli --prefix "$folder/a" > /dev/null
moved="$folder/moved to a path with a space"
mv "$folder/a" "$moved"
"$moved/bin/stepscope" report "$2" > "$folder/report"
grep -q "= wall time" "$folder/report"
if [ $# -gt 2 ]; then
  "$moved/bin/stepscope" profile -o "$folder/made for it/run" -- "$3" 5 2> "$folder/said"
  grep -q "recorded .*run.scope" "$folder/said" || { cat "$folder/said"; exit 1; }
  sed -n 's/^stepscope: now run: //p' "$folder/said" > "$folder/next"  # as a user copies it
  PATH="$moved/bin:$PATH" sh "$folder/next" | grep -q "= wall time"
fi
if "$moved/bin/stepscope" train clt 2> "$folder/said"; then exit 1; fi
grep -q "scripts/demo builds them" "$folder/said"  # and no flag of CMake, which an installed stepscope has no use for
ldd "$moved/bin/stepscope" > "$folder/needs"
if grep -E '=>' "$folder/needs" | grep -vE "$moved/|lib(c|m)\.so"; then
  echo "these libraries come from outside the installed folder"
  exit 1
fi
