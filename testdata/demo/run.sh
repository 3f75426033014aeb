#!/usr/bin/env bash
# The main job, end to end, on a throwaway repository: plan, approve, apply,
# report. $1 is the wf binary. Everything it makes lies below one temporary
# folder, which it names at the end (and removes with WF_DEMO_CLEAN=1).
set -euo pipefail
wf=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/wf-demo.XXXXXX")
repo=$work/shop
[ -n "${WF_DEMO_CLEAN:-}" ] && trap 'rm -rf "$work"' EXIT

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' dim=$'\e[2m' off=$'\e[0m'; else bold= dim= off=; fi
say() { printf '\n%s── %s%s\n' "$bold" "$1" "$off"; }
run() {
  printf '%s$ %s%s\n' "$dim" "${*/#$wf/wf}" "$off"
  local code=0
  "$@" || code=$?
  if [ "$code" -ne "${want:-0}" ]; then echo "demo: '${*/#$wf/wf}' ended with $code, not ${want:-0}" >&2; exit 1; fi
}

mkdir "$repo"
cp -R "$here/repo/." "$repo/"
mv "$repo/go.mod.txt" "$repo/go.mod"
cd "$repo"
git init -q -b main .
git config user.name "Demo"
git config user.email "demo@example.com"
git config commit.gpgsign false

say "An operator: a fresh SSH key, whose public half the repository trusts"
ssh-keygen -q -t ed25519 -N '' -C demo@example.com -f "$work/operator"
printf 'demo@example.com namespaces="wf-plan,wf-decision" %s\n' "$(cut -d' ' -f1,2 "$work/operator.pub")" > policies/operators
git add -A
git commit -q -m "A small shop, and a workflow that adds features to it"
echo "$repo"

say "1. Check the workflow"
run "$wf" validate

say "2. Plan: everything a run could ever do; nothing is changed, no agent starts"
run "$wf" plan ship-features -o "$work/ship.wfplan"

say "3. Anyone can read the same plan again"
"$wf" show "$work/ship.wfplan" > "$work/shown"
printf '%s$ wf show ship.wfplan%s\n' "$dim" "$off"
head -12 "$work/shown"
echo "  …"

say "4. A person approves exactly this plan"
run "$wf" approve "$work/ship.wfplan" --key "$work/operator" --yes -o "$work/ship.wfsig"

say "5. Apply: hire agents, make worktrees, run with evidence gates (exit 8: something is parked)"
want=8 run "$wf" apply "$work/ship.wfplan" --approval "$work/ship.wfsig"

say "6. Status: what waits for a person comes first"
run "$wf" status

say "7. Evidence: what the runner itself saw"
run "$wf" evidence T-002.2
run "$wf" evidence --verify

say "8. The branches that hold the work"
git branch --list 'wf/*' --format '%(refname:short)  %(objectname:short)  %(contents:subject)'

say "9. The main checkout is as it was"
git status --short --branch

printf '\nThe repository stays at %s\nTry there: wf diff T-002.1, wf logs T-002.5, wf unpark T-002.5 --key %s\n' "$repo" "$work/operator"
