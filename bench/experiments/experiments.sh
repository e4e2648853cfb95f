#!/usr/bin/env bash
# Reproduces results of the papers on sampled simulation, each number beside the published one. See
# README.md in this folder.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
rubato=$root/build/rubato
planning=$root/build/bench/rubato_sampling
profiles= # measured ones
work=$root/build/experiments
gpu=v100
scale=default
store=false
names=()

# The experiments, in the order of the report.
# shellcheck source=bench/experiments/profiles.sh
. "$here/profiles.sh"
# shellcheck source=bench/experiments/launches.sh
. "$here/launches.sh"
# shellcheck source=bench/experiments/inside.sh
. "$here/inside.sh"
all=(eq6 replacement A4 B5 B12 bound A7 B11 B6 B2 B4 B7 A1 B8 B10 A2 warmup sieve online C1 C2 C3 pkp window C4 C5 C6 D1
    D4 D6 twenty)

usage()
{
    cat <<TEXT
usage: ./do experiments [--quick|--large] [--profiles DIR] [--store] [-o DIR] [EXPERIMENT]...

  --quick   small sizes, which show that everything works
  --large   the largest sizes: hours
  --build DIR
            the folder of the build [build]
  --profiles DIR
            measured profiles: stem-ae/runtime-example.csv, resnet50-v100/run1.kernels.csv.gz,
            v100-hta/df_index_resolver.kernels.csv.gz, gpt2-accelsim/per-kernel.tsv; for what
            is not there, populations of the published sizes and spreads are made up
  --store   put the rows into bench/experiments/stored.csv, with which docs/papers.md is compared
  -o DIR    traces, runs and reports (default build/experiments); what is there is not repeated

experiments: ${all[*]}
TEXT
}

say()
{
    printf '== %s\n' "$*" >&2
}

# size USUAL QUICK [LARGE]: prints the requested size.
size()
{
    case $scale in
    quick) echo "$2" ;;
    large) echo "${3:-$1}" ;;
    *) echo "$1" ;;
    esac
}

# busy: processor seconds of this script and its children.
busy=0
count_busy()
{
    builtin times >"$work/times.txt"
    busy=$(awk '{ for (i = 1; i <= NF; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } }
                END { printf "%.0f\n", sum }' "$work/times.txt")
}

# ---- the report ----

# A heading with a paragraph.
section()
{
    say "$1"
    printf '\n## %s\n\n%s\n\n| what | here | published |\n| --- | --- | --- |\n' "$1" "$2" >>"$report"
}

# row WHAT HERE [PUBLISHED]: one number.
row()
{
    printf '| %s | %s | %s |\n' "$1" "$2" "${3:--}" >>"$report"
    printf '%s,"%s","%s","%s"\n' "$experiment" "$1" "$2" "${3:-}" >>"$table"
}

# Puts the rows of this call into stored.csv, instead of those that the same experiments have there.
store_rows()
{
    local stored=$here/stored.csv experiment
    {
        head -n 1 "$table"
        for experiment in "${all[@]}"; do
            grep "^$experiment," "$table" || grep "^$experiment," "$stored" || true
        done
    } >"$work/stored.csv"
    cp "$work/stored.csv" "$stored"
}

# A sentence below the rows.
note()
{
    printf '\n%s\n' "$*" >>"$report"
}

# ---- numbers ----

# cells FILE COLUMN [COLUMN=VALUE]...: a column of a CSV file, in the rows with these values.
cells()
{
    awk -v want="$2" -v where="$(printf '%s\t' "${@:3}")" -f "$here/csv.awk" -f "$here/cells.awk" "$1"
}

# Mean of the absolute values of the numbers on standard input; "-" if there are none.
mean()
{
    awk '$1 != "" { sum += $1 < 0 ? -$1 : $1; n++ } END { if (n) print sum / n; else print "-" }'
}

# Geometric mean of the same. Zeros count as a thousandth of a per cent.
geomean()
{
    awk '$1 != "" { v = $1 < 0 ? -$1 : $1; sum += log(v > 1e-5 ? v : 1e-5); n++ }
         END { if (n) print exp(sum / n); else print "-" }'
}

largest()
{
    awk '$1 != "" { v = $1 < 0 ? -$1 : $1; if (!n++ || v > most) most = v }
         END { if (n) print most; else print "-" }'
}

# Prints 0.0123 as "1.23 %"; 12.34 as "12.3x".
percent()
{
    awk -v v="$1" 'BEGIN { if (v == "-" || v == "") print "-"; else printf "%.2f %%\n", 100 * v }'
}

# Prints 0.0123 as "1.23 points".
points()
{
    awk -v v="$1" 'BEGIN { if (v == "-" || v == "") print "-"; else printf "%.2f points\n", 100 * v }'
}

times()
{
    awk -v v="$1" 'BEGIN { if (v == "-" || v == "") print "-"; else printf "%.1fx\n", v }'
}

# Joins lines to a list in one line.
joined()
{
    paste -sd, | sed 's/,/, /g'
}

# ---- runs ----

# make_trace NAME WORKLOAD [OPTION]...: writes $work/NAME.rbt, once. The same options give the same
# trace, whose simulations are kept, unless the generator has changed.
declare -A made=()
make_trace()
{
    [[ -z ${made[$1]:-} ]] || return 0
    made[$1]=yes
    "$rubato" gen "${@:2}" -o "$work/$1.rbt" --force --progress never 2>"$work/$1.log" || {
        cat "$work/$1.log" >&2
        exit 1
    }
}

# score TRACE NAME [OPTION]...: evaluates samplers on a trace, once; $work/NAME.csv and
# NAME.launches.csv are the results. A sampler that cannot work with a trace is a row without numbers.
# All runs of a trace are in one folder, so none is made twice.
declare -A scored=()
score()
{
    local runs=$work/$1.runs trace=$work/$1.rbt name=$work/$2 status=0
    [[ -z ${scored[$2]:-} ]] || return 0
    scored[$2]=yes
    shift 2
    "$rubato" evaluate "$trace" --gpu "$gpu" -o "$runs" --csv "$name.csv" --progress never "$@" \
        >"$name.txt" 2>"$name.log" || status=$?
    if ((status > 1)); then
        cat "$name.log" >&2
        exit 1
    fi
    cp "$runs/evaluation_launches.csv" "$name.launches.csv"
}

# Values of a column over the evaluations of several traces.
over()
{
    local suffix=$1 column=$2 traces=$3 trace
    shift 3
    for trace in $traces; do
        cells "$work/$trace.$suffix.csv" "$column" "$@"
    done
}

# ---- ----

while (($# > 0)); do
    case $1 in
    --quick) scale=quick ;;
    --large) scale=large ;;
    --store) store=true ;;
    -o)
        [[ $# -gt 1 ]] || { usage >&2; exit 2; }
        work=$2
        shift
        ;;
    --build)
        [[ $# -gt 1 && -d $2 ]] || { usage >&2; exit 2; }
        rubato=$2/rubato
        planning=$2/bench/rubato_sampling
        shift
        ;;
    --profiles)
        [[ $# -gt 1 && -d $2 ]] || { usage >&2; exit 2; }
        profiles=$2
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        [[ " ${all[*]} " == *" $1 "* ]] || { usage >&2; exit 2; }
        names+=("$1")
        ;;
    esac
    shift
done
((${#names[@]} > 0)) || names=("${all[@]}")
if "$store" && [[ $scale != default ]]; then
    echo 'experiments: stored.csv has the usual sizes: --store without --quick or --large' >&2
    exit 2
fi
[[ $scale == default ]] || work=$work/$scale
mkdir -p "$work"
report=$work/experiments.md
table=$work/experiments.csv
begun=$SECONDS
printf 'experiment,what,here,published\n' >"$table"
{
    printf '# Experiments\n\n'
    "$rubato" --version 2>/dev/null || true
    if [[ $scale == quick ]]; then printf '\nQuick: small sizes, whose numbers say less.\n'; fi
} >"$report"
costs=()
for experiment in "${names[@]}"; do
    before=$busy
    "experiment_$experiment"
    count_busy
    costs+=("$experiment $((busy - before))")
done
{
    printf '\n## Cost\n\n%s seconds, %s of a processor:' "$((SECONDS - begun))" "$busy"
    printf ' %s,' "${costs[@]}" | sed 's/,$/.\n/'
} >>"$report"
cat "$report"
say "$report, $table"
! "$store" || store_rows
