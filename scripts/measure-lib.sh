# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that measure a trainer. Each defines `list BUILD FOLDER`, which prints a line NAME|SECONDS|COMMAND a measurement,
# and then calls `measure "$0" "$@"`.

measure() {
  local script=$1
  shift
  if [ "${1:-}" = --list ]; then
    list BUILD FOLDER | while IFS='|' read -r name seconds command; do printf '%-18s %4s s  %s\n' "$name" "$seconds" "$command"; done
    return 0
  fi
  # The script's head says how it is called.
  [ $# -ge 2 ] || { sed -n '3,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$script"; return 2; }
  local build=$1 out=$2 failed=() name seconds command begin
  shift 2
  mkdir -p "$out" || return 4
  while IFS='|' read -r name seconds command; do
    if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx -- "$name"; then continue; fi
    printf '== %s (about %s s)\n' "$name" "$seconds" >&2
    begin=$(date +%s)
    # Twice its time is a fault, too.
    if ! timeout -k 10 $((2 * seconds + 60)) bash -c "$command" </dev/null >"$out/$name.log" 2>&1; then failed+=("$name"); fi
    printf '   %s s; %s\n' $(($(date +%s) - begin)) "$(tail -n 1 "$out/$name.log" | cut -c1-160)" >&2
  done < <(list "$build" "$out")
  if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s (see %s/NAME.log)\n' "${failed[*]}" "$out" >&2
    return 1
  fi
}
