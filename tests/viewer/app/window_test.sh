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
XDG_STATE_HOME=$(dirname "$3")/window_state
export XDG_STATE_HOME
rm -rf "$XDG_STATE_HOME"
"$1" view "$2" --size 1200x700 &
viewer=$!
window=$(timeout 60 xdotool search --sync --onlyvisible --name '^stepscope$' | head -n 1)
xdotool windowfocus "$window"
xdotool mousemove --window "$window" 500 210 click 1 click 4 click 4
xdotool key --window "$window" w d j period m t plus
# Held as long as a hand does: a key that is let go before the next frame is not seen.
xdotool key --delay 1500 --window "$window" ctrl+q 2> "$3" || true  # the window is gone before the key is let go
wait "$viewer"
# What was marked and chosen is kept for the next time.
grep -q '"begin_ns"' "$XDG_STATE_HOME"/stepscope/view/*sync_mask_norms*.json
grep -q '"light": true' "$XDG_STATE_HOME/stepscope/view/settings.json"
# A state that cannot be written or read breaks nothing.
printf 'no json' > "$XDG_STATE_HOME/stepscope/view/settings.json"
XDG_STATE_HOME=/proc/no/such "$1" view "$2" --size 1200x700 --close-after-frames 1
"$1" view "$2" "$2" --size 1200x700 --close-after-frames 1
