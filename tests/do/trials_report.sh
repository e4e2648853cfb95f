#!/usr/bin/env bash
# The report of ./do trials, of a list of two small workloads and one sampler that is exact and one that
# is not.
#   trials_report.sh REPOSITORY RUBATO
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUBATO_CONFIGS=$1/configs

cat >"$work/list" <<'TEXT'
# a comment
inside    small   regular  trial    vecadd --size 20k
inside    other   regular  holdout  vecadd --size 30k
launches  steps   solver   trial    stencil --size 66 -p steps=60
TEXT
"$1/bench/experiments/trials.sh" --rubato "$2" --workloads "$work/list" --seeds 2 -o "$work/out" \
    --sample tbpoint_region --sample random:count=10 >"$work/report" 2>"$work/log"

# has TEXT: a line of the report is like it.
has()
{
    grep -qE -- "$1" "$work/report" || {
        printf 'no line like: %s\n' "$1"
        cat "$work/log" "$work/report"
        exit 1
    }
}

has '^## inside: tbpoint_region'
has '^\| small \| regular \| 3 \| -?0\.00 % \| 0\.00 % \| .* \| 1, 0 of 1 \| 100\.0 % \|'
has '^## launches: random:count=10'
has '^\| steps \| solver \| 60 \| .* \| 0, 0 of 2 \| [0-9.]+ % \| [0-9.]+x \|'
has '^\| random:count=10 \(launches\): all \| 1 \| '
has '^\| random:count=10 \(launches\): cycles \| .* \| steps \| 2 \| '
if grep -q other "$work/report"; then
    echo 'the hold-out was run without --holdout'
    exit 1
fi
if "$1/bench/experiments/trials.sh" --no-such 2>/dev/null; then
    echo 'an unknown option was accepted'
    exit 1
fi
