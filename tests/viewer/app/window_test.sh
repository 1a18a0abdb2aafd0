#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real window on a display in memory: it opens, takes keys and mouse, and closes; without a display
# it says what to do instead.
# usage: window_test.sh STEPSCOPE TRACE
set -eu
if [ -z "${IN_XVFB:-}" ]; then
  if env -u DISPLAY -u WAYLAND_DISPLAY "$1" view "$2" 2> "$3"; then echo "no display, and no error"; exit 1; fi
  grep -q "xvfb-run" "$3" && grep -q -- "--screenshot" "$3"
  IN_XVFB=1 exec xvfb-run -a -s "-screen 0 1280x800x24" "$0" "$@"
fi
"$1" view "$2" --size 1200x700 --close-after-frames 12 &
viewer=$!
window=$(timeout 60 xdotool search --sync --name '^stepscope$' | head -n 1)
xdotool windowfocus "$window"
xdotool mousemove --window "$window" 500 210 click 1 click 4 click 4
xdotool key --window "$window" w d j period
wait "$viewer"
