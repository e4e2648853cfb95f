#!/usr/bin/env bash
# The experiments that take seconds print, in their quick form, the rows of bench/experiments/stored_quick.csv.
# usage: experiments_stored.sh SOURCES BUILD [--store]
set -euo pipefail
sources=$1 build=$2
stored=$sources/bench/experiments/stored_quick.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sources/bench/experiments/experiments.sh" --quick --build "$build" -o "$work" A4 D6 replacement >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
if [[ ${3-} == --store ]]; then
    cp "$work/quick/experiments.csv" "$stored"
elif ! diff "$stored" "$work/quick/experiments.csv"; then
    echo "rows differ from bench/experiments/stored_quick.csv; if they should: tests/do/experiments_stored.sh . BUILD --store"
    exit 1
fi
