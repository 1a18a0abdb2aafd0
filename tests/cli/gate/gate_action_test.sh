#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# action.yml's script as a GitHub runner without a GPU runs it: gate_action_test.sh STEPSCOPE SOURCE_DIR
set -euo pipefail
export STEPSCOPE=$1
source_dir=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export RUNNER_TEMP=$folder/temp GITHUB_OUTPUT=$folder/output GITHUB_STEP_SUMMARY=$folder/summary GITHUB_WORKSPACE=$folder
trace=$source_dir/tests/data/kineto/sync_mask_norms.fixed.json.gz

fail() { echo "gate_action_test: $*" >&2; exit 1; }
expect() { # STATUS, then the inputs as assignments
  local expected=$1 status=0; shift
  rm -f "$GITHUB_OUTPUT" "$GITHUB_STEP_SUMMARY"
  env "$@" "$source_dir/scripts/gate-action" gate > printed 2>&1 || status=$?
  [ "$status" = "$expected" ] || { cat printed; fail "exit code $status, not $expected: $*"; }
}

cat > budgets.json <<'POLICY'
{ "schema": "stepscope.policy/1", "metrics": [], "budgets": ["host_syncs <= 0"] }
POLICY
cat > strict.json <<'POLICY'
{ "schema": "stepscope.policy/1", "metrics": [], "budgets": ["kernels <= 1"] }
POLICY
mkdir traces && cp "$trace" traces/one.json.gz

expect 0 INPUT_CANDIDATE='traces/*.json.gz' INPUT_POLICY=budgets.json
grep -qx 'verdict=pass' "$GITHUB_OUTPUT" || fail "no verdict among the outputs"
grep -q '^::notice ' printed || fail "no annotation"
for output in json junit sarif markdown; do
  file=$(sed -n "s/^$output=//p" "$GITHUB_OUTPUT")
  [ -s "$file" ] || fail "no file for the output $output"
done
expect 1 INPUT_CANDIDATE='traces/*.json.gz' INPUT_POLICY=strict.json
grep -qx 'verdict=regression' "$GITHUB_OUTPUT" || fail "a regression is no output"
grep -q '^## stepscope gate: Regression' "$GITHUB_STEP_SUMMARY" || fail "no summary"
"$STEPSCOPE" baseline save main traces/one.json.gz --dir .stepscope/baselines 2> /dev/null
expect 3 INPUT_BASELINE=main INPUT_CANDIDATE=traces/one.json.gz
expect 0 INPUT_BASELINE=main INPUT_CANDIDATE=traces/one.json.gz INPUT_INCONCLUSIVE=pass
expect 0 INPUT_BASELINE=main INPUT_CANDIDATE=traces/one.json.gz INPUT_INCONCLUSIVE=pass INPUT_ARGUMENTS='--paired'
expect 4 INPUT_CANDIDATE=traces/none.json.gz INPUT_POLICY=budgets.json
[ ! -e "$GITHUB_OUTPUT" ] || fail "outputs of a gate that gave no verdict"
echo "gate_action_test: the action's inputs, outputs and exit codes are right"
