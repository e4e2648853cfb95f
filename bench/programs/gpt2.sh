#!/usr/bin/env bash
# GPT-2 and a small Llama, end to end: builds the programs, runs them without a GPU, and compares
# samplers with the full simulation. See docs/gpt2.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
rubato=$root/build/rubato
files=$root/build/bench/rubato_gpt2_files
nvcc=${RUBATO_NVCC:-nvcc}
work=$root/build/gpt2
llmc='' llama2='' weights='' archives='' libs=''
gpus=(v100)
samples=()
layers=12 heads=12 channels=768 tokens=128 generated=100
names=()
all=(step generate fp16 llama)
vocabulary=50257 context=1024

usage()
{
    cat <<TEXT
usage: ./do gpt2 [OPTION]... [EXPERIMENT]...

  step       a training step of GPT-2 (llm.c, train_gpt2_fp32.cu; the default)
  generate   five tokens by GPT-2, after such a step
  fp16       a training step on tensor cores (llm.c, train_gpt2.cu with ENABLE_FP16; --layers 6,
             12, 24, ..., with the heads and channels that llm.c gives such a model)
  llama      $generated tokens by a Llama of 15 million parameters (llama2.cu)

  --llmc DIR, --llama2 DIR
              the sources of karpathy/llm.c and ankan-ban/llama2.cu; without them, git fetches them
  --gpu LIST  models, such as v100,rtx2080ti [v100]
  --sample SET
              samplers to compare with the full simulation, as for rubato evaluate; may be
              repeated [stem, stem_online, photon]; none: only simulate in full
  --layers N, --heads N, --channels N
              another GPT-2 than that of 124 million parameters [12, 12, 768]
  --tokens N  of the training step, and positions when text is generated: a multiple of 128
              [$tokens]
  --generate N
              tokens of llama [$generated]
  --weights FILE
              your checkpoint for step and generate (gpt2_124M.bin) instead of random weights
  --archives DIR, --libs DIR
              where the toolkit's static libraries are, and the folder for rubato libs
  -o DIR      programs, weights, traces and runs [build/gpt2]; what is there is not made again

The compiler is nvcc, or the one that RUBATO_NVCC names.
TEXT
}

say()
{
    printf '== %s\n' "$*" >&2
}

fail()
{
    printf 'gpt2.sh: %s\n' "$*" >&2
    exit 2
}

# number OPTION VALUE: fails unless VALUE is a number from 1 to 99999.
number()
{
    [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || fail "$1: '$2' is not a number from 1 to 99999"
    echo "$2"
}

options()
{
    while (($# > 0)); do
        case $1 in
        --help | -h) usage && exit 0 ;;
        -*) (($# > 1)) || fail "$1 needs a value, or is unknown; see --help" ;;
        esac
        case $1 in
        --llmc) llmc=$(realpath -e "$2") ;;
        --llama2) llama2=$(realpath -e "$2") ;;
        --gpu) IFS=, read -ra gpus <<<"$2" ;;
        --sample) samples+=("$2") ;;
        --layers) layers=$(number "$1" "$2") ;;
        --heads) heads=$(number "$1" "$2") ;;
        --channels) channels=$(number "$1" "$2") ;;
        --tokens) tokens=$(number "$1" "$2") ;;
        --generate) generated=$(number "$1" "$2") ;;
        --weights) weights=$(realpath -e "$2") ;;
        --archives) archives=$2 ;;
        --libs) libs=$2 ;;
        -o) work=$2 ;;
        -*) fail "unknown option $1; see --help" ;;
        *)
            [[ " ${all[*]} " == *" $1 "* ]] || fail "no experiment '$1': ${all[*]}"
            names+=("$1")
            shift
            continue
            ;;
        esac
        shift 2
    done
    ((${#names[@]})) || names=(step)
    ((${#samples[@]})) || samples=(stem stem_online photon)
    [[ ${samples[*]} != none ]] || samples=()
    ((tokens % 128 == 0)) || fail "--tokens must be a multiple of 128: llm.c's kernels write in tiles of 128"
    ((channels % heads == 0)) || fail "--channels must be a multiple of --heads"
}

# sources DIR REPOSITORY FILE: prints the folder of the sources.
sources()
{
    local folder=${1:-$work/${2#*/}}
    [[ -n $1 || -d $folder ]] || git clone --quiet --depth 1 "https://github.com/$2" "$folder" ||
        fail "https://github.com/$2 cannot be fetched: name the folder of its sources"
    [[ -f $folder/$3 ]] || fail "$folder: has no $3"
    echo "$folder"
}

# arch GPU: the machine code that it runs.
arch()
{
    "$rubato" config show "$1" | awk '$1 == "arch" { print "sm_" $3 + 0; exit }'
}

# compile PROGRAM SOURCE OPTION...: unless it is there.
compile()
{
    [[ -x $1 ]] || {
        say "compiling ${1##*/}"
        "$nvcc" -O3 -cudart shared -o "$1" "${@:3}" "$2" >"$1.log" 2>&1 || {
            cat "$1.log" >&2
            fail "$nvcc: cannot compile $2 (RUBATO_NVCC names another compiler)"
        }
    }
}

# made FILE ARGUMENT...: writes random contents, unless the file is there.
made()
{
    [[ -s $1 ]] || "$files" "$2" "$1" "${@:3}"
}

# recorded TRACE OPTION... -- PROGRAM...: unless it is there.
recorded()
{
    local trace=$1
    [[ -s $trace ]] || {
        say "recording ${trace##*/}"
        "$rubato" record -o "$trace" ${libs:+--libs "$libs"} "${@:2}" >"$trace.out" 2>&1 || {
            cat "$trace.out" >&2
            fail "${trace##*/}: the program could not be recorded"
        }
    }
}

# compared TRACE GPU: full, and with each set of samplers.
compared()
{
    local set sets=() out
    out=${1%.rbt}-$2
    for set in "${samples[@]}"; do
        sets+=(--sample "$set")
    done
    say "${out##*/}"
    "$rubato" info --count "$1" | tail -n 1
    if ((${#sets[@]})); then
        "$rubato" evaluate "$1" --gpu "$2" "${sets[@]}" -o "$out"
    else
        "$rubato" run "$1" --gpu "$2" --threads 1 -o "$out" --resume
    fi
}

# --- the experiments: NAME GPU ARCH ---------------------------------------------------------------

# Enters a folder with the checkpoint under the name that llm.c expects, and a batch of tokens.
enter_model()
{
    local model="$layers-$heads-$channels"
    mkdir -p "$work/gpt2-$model"
    cd "$work/gpt2-$model"
    if [[ -n $weights ]]; then
        ln -sf "$weights" gpt2_124M.bin
    else
        made gpt2_124M.bin gpt2 "$layers" "$heads" "$channels" "$context" "$vocabulary"
    fi
    made "tokens$tokens" tokens "$((tokens + 1))" "$vocabulary"
    trace=$work/$1-$model-$tokens-$3.rbt
}

record_step()
{
    local source
    source=$(sources "$llmc" karpathy/llm.c train_gpt2_fp32.cu)
    compile "$work/gpt2-fp32-$3" "$source/train_gpt2_fp32.cu" -arch="$3" -I"$source" -lcublas -lcublasLt
    enter_model "$@"
    recorded "$trace" --gpu "$2" -- "$work/gpt2-fp32-$3" -i "tokens$tokens" -j "tokens$tokens" -b 1 \
        -t "$tokens" -m 0 -g 1
}

step()
{
    record_step "$@"
    compared "$trace" "$2"
}

# The launches after those of the step.
generate()
{
    local last
    record_step step "${@:2}"
    last=$("$rubato" info --json "$trace" | grep -c '"trace_id"')
    enter_model "$@"
    recorded "$trace" --gpu "$2" -l "$((last + 1))-" -- "$work/gpt2-fp32-$3" -i "tokens$tokens" \
        -j "tokens$tokens" -b 1 -t "$tokens" -m 0 -g 6
    compared "$trace" "$2"
}

fp16()
{
    local source
    source=$(sources "$llmc" karpathy/llm.c train_gpt2.cu)
    compile "$work/gpt2-fp16-$3" "$source/train_gpt2.cu" -arch="$3" -std=c++17 -DENABLE_FP16 -I"$source" \
        -lcublas -lcublasLt
    enter_model "$@"
    recorded "$trace" --gpu "$2" -- "$work/gpt2-fp16-$3" -e "d$layers" -i "tokens$tokens" \
        -j "tokens$tokens" -b 1 -t "$tokens" -d "$tokens" -x 1 -v 20 -m 0 -s 0 -h 0
    compared "$trace" "$2"
}

llama()
{
    local source
    source=$(sources "$llama2" ankan-ban/llama2.cu llama2.cu)
    compile "$work/llama2-$3" "$source/llama2.cu" -arch="$3"
    mkdir -p "$work/llama-15M"
    cd "$work/llama-15M"
    made model.bin llama 6 6 288 768 256 32000
    made tokenizer.bin tokenizer 32000
    trace=$work/llama-$generated-$3.rbt
    recorded "$trace" --gpu "$2" -- "$work/llama2-$3" model.bin 0 "$generated"
    compared "$trace" "$2"
}

main()
{
    local name gpu
    options "$@"
    mkdir -p "$work"
    work=$(realpath "$work")
    command -v "$nvcc" >/dev/null || fail "$nvcc: not found (RUBATO_NVCC names another compiler)"
    say "libraries of the toolkit"
    "$rubato" libs ${archives:+--archives "$archives"} ${libs:+"$libs"} >/dev/null
    [[ -z $libs ]] || libs=$(realpath "$libs")
    for name in "${names[@]}"; do
        for gpu in "${gpus[@]}"; do
            (trace='' && "$name" "$name" "$gpu" "$(arch "$gpu")")
        done
    done
}

main "$@"
