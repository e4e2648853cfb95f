#!/usr/bin/env bash
# Twenty random triples, cheap ones: eleven launches of many waves, and nine programs.
# The hundred of ./do check have all sizes.
#   trials_twenty.sh REPOSITORY RUBATO DRAW
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUBATO_CONFIGS=$1/configs
numbers=()
for number in 141 104 72 88 135 121 134 132 113 6 168 22 23 139 54 14 81 193 28 7; do
    numbers+=(--number "$number")
done
"$1/bench/experiments/random.sh" "${numbers[@]}" --seed 12 --sampler smarts --gate --rubato "$2" \
    --draw "$3" -o "$work/out" 2>&1 || {
    cat "$work/out/statistics.tsv"
    exit 1
}
grep -q '^| smarts: cycles |' "$work/out/report.md"
