#!/usr/bin/env bash
# Tries samplers on triples of workload, chip and seed that are drawn from one distribution:
# bench/sampling/README.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
rubato=$root/build/rubato
draw=
work=$root/build/random
seed=1
first=1
numbers=
least_waves=0
least_launches=0
fixed_chip=
samples=()
keep=false
gate=false
instructions=false

# What is tried unless --sampler says otherwise: of single launches, and of programs.
launch_samples=(smarts)
program_samples=(smarts stem_online stem 'stem_online,smarts')

usage()
{
    cat <<TEXT
usage: ./do trials random N [OPTION]...

Draws N triples of a workload, a chip and a seed of the samplers, simulates each in full and with each
set of samplers, and prints how often the printed intervals hold.

  --seed S         seed of the drawing [1]
  --first K        number of the first triple [1]
  --number K       triple K alone; may be repeated (without N)
  --waves W        only single launches of at least W waves: the next N of them
  --launches L     only programs of at least L launches: the next N of them
  --chip OPTIONS   instead of the drawn chip, such as '-s sm.count=14'; waves are those of the drawn one
  --sampler SET    samplers to try, as in rubato evaluate; may be repeated
                   [a launch: ${launch_samples[*]}; a program: ${program_samples[*]}]
  --instructions   cost in host instructions instead of processor time, which says little on a busy
                   machine: each triple runs again under perf, or where it cannot count under valgrind
  --gate           fail if intervals of a group of statistics cover less than 93 %, or more than 1 %
                   of the estimates are silent, one triple aside; with --instructions also if more
                   than 1 % of the runs, and one more, cost above 1.05 full runs
  --keep           keep workloads, traces and runs in the folder of -o
  --rubato FILE    the program to try [build/rubato]
  --draw FILE      rubato_sampling [bench/rubato_sampling beside --rubato]
  -o DIR           tables: triples.tsv, statistics.tsv, report.md [build/random]
TEXT
}

fail_usage()
{
    usage >&2
    exit 2
}

# is_wanted NUMBER: whether the triple has the waves of --waves and the launches of --launches.
is_wanted()
{
    "$draw" draw "$1" "$seed" /dev/null |
        awk -F '\t' -v waves="$least_waves" -v launches="$least_launches" '{ exit !($4 >= waves && $1 >= launches) }'
}

# workload NUMBER: draws a triple and makes its trace; sets launches, seed_of, chip.
workload()
{
    local arch options
    IFS=$'\t' read -r launches seed_of arch _ options < <("$draw" draw "$1" "$seed" "$work/w$1.sil")
    read -ra chip <<<"${fixed_chip:-$options}"
    "$rubato" gen "$work/w$1.sil" --arch "$arch" -o "$work/w$1.rbt" --force --progress never \
        2>"$work/log"
}

# count COMMAND...: its host instructions (of user mode).
count()
{
    if perf stat -e instructions:u true 2>&1 | grep -q '[0-9]  *instructions'; then
        perf stat -x, -o "$work/counted" -e instructions:u "$@" >/dev/null 2>&1
        awk -F, '/instructions/ { print $1 }' "$work/counted"
    else
        valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
            --log-file="$work/counted" "$@" >/dev/null 2>&1
        awk '/I *refs:/ { gsub(",", ""); print $NF }' "$work/counted"
    fi
}

# count_sets NUMBER SET...: writes what full run and sets cost, to work/instructions: set, instructions
count_sets()
{
    local run=("$rubato" run "$work/w$1.rbt" "${chip[@]}" --progress never) set
    printf 'full\t%s\n' "$(count "${run[@]}")"
    for set in "${@:2}"; do
        printf '%s\t%s\n' "$set" "$(count "${run[@]}" --sample "$set" --seed "$seed_of")"
    done
}

# try NUMBER: adds the triple's rows to the tables.
try()
{
    local number=$1 sets=("${samples[@]}") options=() set status=0
    workload "$number" || {
        cat "$work/log" >&2
        exit 1
    }
    if ((${#sets[@]} == 0)); then
        sets=("${program_samples[@]}")
        ((launches > 1)) || sets=("${launch_samples[@]}")
    fi
    for set in "${sets[@]}"; do options+=(--sample "$set"); done
    rm -rf "$work/runs$number"
    "$rubato" evaluate "$work/w$number.rbt" "${chip[@]}" "${options[@]}" --seed "$seed_of" \
        --replays 1 -o "$work/runs$number" --progress never >"$work/evaluation" 2>"$work/log" || status=$?
    if ((status > 1)); then # 1: a set cannot work with this trace, which the tables say
        printf 'triple %s of seed %s:\n' "$number" "$seed" >&2
        cat "$work/log" >&2
        exit 1
    fi
    : >"$work/instructions"
    ! "$instructions" || count_sets "$number" "${sets[@]}" >"$work/instructions"
    awk -v number="$number" -v launches="$launches" -v chip="${chip[*]}" -v work="$work" \
        -v runs="$work/runs$number" -f "$here/csv.awk" -f "$here/random_rows.awk" </dev/null
    "$keep" || rm -rf "$work/runs$number" "$work/w$number".*
}

((${#} > 0)) || fail_usage
while (($# > 0)); do
    case $1 in
    --keep) keep=true ;;
    --gate) gate=true ;;
    --instructions) instructions=true ;;
    --seed | --first | --number | --waves | --launches | --chip | --sampler | --rubato | --draw | -o)
        (($# > 1)) || fail_usage
        case $1 in
        --seed) seed=$2 ;;
        --first) first=$2 ;;
        --number) numbers+=" $2" ;;
        --waves) least_waves=$2 ;;
        --launches) least_launches=$2 ;;
        --chip) fixed_chip=$2 ;;
        --sampler) samples+=("$2") ;;
        --rubato) rubato=$2 ;;
        --draw) draw=$2 ;;
        -o) work=$2 ;;
        esac
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        [[ $1 =~ ^[0-9]{1,6}$ && -z ${count-} ]] || fail_usage
        count=$1
        ;;
    esac
    shift
done
[[ $seed$first$least_waves$least_launches =~ ^[0-9]+$ && -n ${count-}$numbers ]] || fail_usage
[[ -n $draw ]] || draw=$(dirname "$rubato")/bench/rubato_sampling
for ((i = 0; i < ${count:-0}; first++)); do
    ((least_waves + least_launches == 0)) || is_wanted "$first" || continue
    numbers+=" $first"
    i=$((i + 1))
done

if "$instructions" && ! command -v perf >/dev/null && ! command -v valgrind >/dev/null; then
    echo 'random.sh: --instructions needs perf or valgrind' >&2
    exit 2
fi
mkdir -p "$work"
: >"$work/triples.tsv"
: >"$work/statistics.tsv"
for number in $numbers; do
    try "$number"
done
status=0
awk -v seed="$seed" -v gate="$gate" -v instructions="$instructions" -f "$here/random.awk" "$work/triples.tsv" "$work/statistics.tsv" \
    >"$work/report.md" || status=$?
cat "$work/report.md"
exit "$status"
