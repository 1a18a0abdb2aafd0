#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installed folder runs on its own: every library but glibc's comes from within it.
# usage: carried_test.sh BUILD_DIR TRACE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --component cli --prefix "$folder/a" > /dev/null
mv "$folder/a" "$folder/b"
"$folder/b/bin/stepscope" report "$2" > "$folder/report"
grep -q "= wall time" "$folder/report"
ldd "$folder/b/bin/stepscope" > "$folder/needs"
if grep -E '=>' "$folder/needs" | grep -vE "$folder/b/|lib(c|m)\.so"; then
  echo "these libraries come from outside the installed folder"
  exit 1
fi
