#!/usr/bin/env bash
# Random triples: the same number gives the same triple, and the report has its tables.
#   trials_random.sh REPOSITORY RUBATO DRAW
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUBATO_CONFIGS=$1/configs

random()
{
    "$1/bench/experiments/random.sh" "${@:4}" --rubato "$2" --draw "$3" >"$work/report" 2>"$work/log" || {
        cat "$work/log" "$work/report"
        exit 1
    }
}

random "$@" --number 5 --number 40 --seed 1 --sampler smarts --sampler random:count=9 -o "$work/a"
random "$@" 1 --first 5 --seed 1 --sampler smarts -o "$work/b" --keep
for part in '^2 triples of seed 1' '^| smarts | 2 | 0 |' '^| random:count=9: cycles |'; do
    grep -q -- "$part" "$work/a/report.md" || {
        printf 'no line like: %s\n' "$part"
        cat "$work/a/report.md"
        exit 1
    }
done
# all but the processor time
same()
{
    grep -P '^5\t[^\t]*\t[^\t]*\tsmarts\t|^5\tsmarts\t' "$1/triples.tsv" "$1/statistics.tsv" -h |
        awk -F '\t' -v OFS='\t' 'NF == 9 { $6 = $9 = "" } { print }'
}
cmp <(same "$work/a") <(same "$work/b")
[[ -s $work/b/w5.sil && ! -e $work/a/w5.sil ]]
# The same launch on a chip that is given.
random "$@" --number 5 --seed 1 --sampler smarts --chip '-s sm.count=3' -o "$work/chip"
cut -f3 "$work/chip/triples.tsv" | grep -qx -- '-s sm.count=3'
cmp -s <(same "$work/a") <(same "$work/chip") && exit 1
# Costs in host instructions, by a perf that counts 1,000 without a sampler and 1,060 with one: above 1.05.
mkdir "$work/bin"
cat >"$work/bin/perf" <<'PERF'
#!/bin/sh
[ "$2" = -x, ] || { echo "1,000      instructions:u"; exit; }
case " $* " in *" --sample "*) echo 1060,,instructions:u >"$4" ;; *) echo 1000,,instructions:u >"$4" ;; esac
PERF
chmod +x "$work/bin/perf"
if PATH=$work/bin:$PATH "$1/bench/experiments/random.sh" 3 --seed 1 --sampler smarts --instructions --gate \
    --rubato "$2" --draw "$3" -o "$work/c" >"$work/report" 2>&1; then
    echo 'three runs of 1.06 are within the gate'
    exit 1
fi
for part in 'smarts: slower than 1.05 full runs' '^| smarts | 3 | 0 | 0.94x |'; do
    grep -q -- "$part" "$work/report" || {
        cat "$work/report"
        exit 1
    }
done
for wrong in '' '3 4' '--number' '--no-such'; do
    # shellcheck disable=SC2086 # several words
    if "$1/bench/experiments/random.sh" $wrong 2>/dev/null; then
        printf 'accepted: %s\n' "$wrong"
        exit 1
    fi
done
