#!/bin/bash
# Tests completion in bash, and in zsh and fish if they are installed.
#   completion_test.sh RUBATO
set -u
rubato=$(realpath "$1")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
for shell in bash zsh fish; do
    "$rubato" completion $shell >rubato.$shell || exit 1
done
touch trace.rbt mine.cfg
mkdir cfgs

# Fails unless all named words are among the offered ones (standard input).
expect() {
    local what=$1 offered word
    offered=$(cat)
    shift
    for word in "$@"; do
        if ! grep -qxF -- "$word" <<<"$offered"; then
            echo "FAILED: $what: '$word' is not offered, but: $(head -c 300 <<<"$offered" | tr '\n' ' ')"
            failed=1
        fi
    done
}

# Fails if any of the named words is offered.
refuse() {
    local what=$1 offered word
    offered=$(cat)
    shift
    for word in "$@"; do
        if grep -qxF -- "$word" <<<"$offered"; then
            echo "FAILED: $what: '$word' is offered"
            failed=1
        fi
    done
}

# Prints what bash offers for the last of the words; '=' is a word, as in COMP_WORDBREAKS.
in_bash() {
    bash -c 'source ./rubato.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rubato 2>/dev/null
             printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
in_bash rubato '' | expect "bash: commands" run record completion
in_bash rubato run --sta | expect "bash: options" --stats-interval
in_bash rubato run '' | expect "bash: traces are files" trace.rbt
in_bash rubato run x --gpu '' | expect "bash: GPUs" v100 rtx2060 mine.cfg
in_bash rubato run x --gpu '' | refuse "bash: other files are no GPUs" trace.rbt
in_bash rubato run x --gpu cf | expect "bash: folders of configurations" cfgs
in_bash rubato config fit t --base '' | refuse "bash: other files are no base" trace.rbt
in_bash rubato config check '' | refuse "bash: other files cannot be checked" trace.rbt
in_bash rubato sweep '' | expect "bash: traces or an action" trace.rbt status
in_bash rubato sweep --gpu v100 '' | expect "bash: traces after options" trace.rbt
in_bash rubato sweep status '' | expect "bash: folders of sweeps" cfgs
in_bash rubato sweep status '' | refuse "bash: a file is no folder" trace.rbt
in_bash rubato sweep x --stat sm.warp_i | expect "bash: statistics" sm.warp_insts
in_bash rubato stats explain met | expect "bash: statistics to explain" metrics.ipc
in_bash rubato stats diff '' | expect "bash: results are files" trace.rbt
in_bash rubato plot x --axis l2.w | expect "bash: keys have no =" l2.ways
in_bash rubato sweep x --vary sm.scheduler = gto,l | expect "bash: lists of values" gto,lrr
in_bash rubato run --gpu v100 -- ./app --gpu '' | expect "bash: words of a program" trace.rbt
in_bash rubato run x --gpu = v | expect "bash: GPUs after =" v100
in_bash rubato run x -s l2.rep | expect "bash: settings" l2.replacement=
in_bash rubato run x -s photon_b | expect "bash: settings of samplers" photon_bb.delta=
in_bash rubato run x -s l2.replacement = | expect "bash: values" lru random
in_bash rubato run x -s l1.perfect = t | expect "bash: truth values" true
in_bash rubato sweep x --vary sm.sch | expect "bash: axes" sm.scheduler=
in_bash rubato run x --sample ste | expect "bash: samplers" stem stem_online
in_bash rubato run x --sample stem,pho | expect "bash: lists of samplers" stem,photon_warp
in_bash rubato run x --warmup '' | expect "bash: words" keep functional
in_bash rubato gen s | expect "bash: workloads" sgemm softmax
in_bash rubato config ex | expect "bash: actions" explain
in_bash rubato config explain l2.w | expect "bash: settings to explain" l2.ways
in_bash rubato config show '' | expect "bash: GPUs and groups" v100 dram mine.cfg
in_bash rubato completion '' | expect "bash: shells" bash zsh fish
in_bash rubato help in | expect "bash: help" info
[ "$(in_bash rubato run x --seed '')" = "" ] || { echo "FAILED: bash: a number has words"; failed=1; }

if command -v fish >/dev/null; then
    in_fish() { HOME=$dir fish --no-config -c "source rubato.fish; complete -C '$*'" | cut -f1; }
    in_fish rubato '' | expect "fish: commands" run record completion
    in_fish rubato run --sta | expect "fish: options" --stats-interval
    in_fish rubato run tr | expect "fish: traces are files" trace.rbt
    in_fish rubato run x --gpu '' | expect "fish: GPUs" v100 rtx2060 mine.cfg
    in_fish rubato run x --gpu '' | refuse "fish: other files are no GPUs" trace.rbt
    in_fish rubato run x --gpu cf | expect "fish: folders of configurations" cfgs/
    in_fish rubato sweep '' | expect "fish: traces or an action" trace.rbt status
    in_fish rubato sweep x --stat sm.warp_i | expect "fish: statistics" sm.warp_insts
    in_fish rubato stats explain met | expect "fish: statistics to explain" metrics.ipc
    in_fish rubato plot x --axis l2.w | expect "fish: keys have no =" l2.ways
    in_fish rubato run x -s l2.rep | expect "fish: settings" l2.replacement=
    in_fish rubato run x -s l2.replacement= | expect "fish: values" l2.replacement=lru
    in_fish rubato run x --sample ste | expect "fish: samplers" stem stem_online
    in_fish rubato gen s | expect "fish: workloads" sgemm softmax
    in_fish rubato config '' | expect "fish: actions" explain show
    in_fish rubato config explain l2.w | expect "fish: settings to explain" l2.ways
else
    echo "fish is not installed: its completion is not tried"
fi

# Zsh completes only in a terminal; the arguments of compadd are written to a file.
if command -v zsh >/dev/null; then
    cp rubato.zsh _rubato
    cat >begin.zsh <<'ZSH'
PROMPT=
fpath=($PWD $fpath)
autoload compinit
compinit -u -d $PWD/dump
bindkey '^I' complete-word
comppostfuncs=(exit)
compadd() {
    [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >>offered
    builtin compadd "$@"
}
print ready
ZSH
    cat >ask.zsh <<'ZSH'
zmodload zsh/zpty || exit 1
zpty asked zsh -f -i
zpty -w asked 'source ./begin.zsh'
zpty -r asked line '*ready*'
zpty -n -w asked "$1"$'\t'
while zpty -r asked line; do :; done
ZSH
    in_zsh() { rm -f offered; timeout 20 zsh -f ask.zsh "$*" >/dev/null 2>&1; cat offered 2>/dev/null; }
    in_zsh 'rubato ' | expect "zsh: commands" run record completion
    in_zsh 'rubato run --sta' | expect "zsh: options" --stats-interval
    in_zsh 'rubato run tr' | expect "zsh: traces are files" trace.rbt
    in_zsh 'rubato run x --gpu ' | expect "zsh: GPUs" v100 rtx2060 mine.cfg
    in_zsh 'rubato run x --gpu ' | refuse "zsh: other files are no GPUs" trace.rbt
    in_zsh 'rubato run x --gpu cf' | expect "zsh: folders of configurations" cfgs
    in_zsh 'rubato sweep ' | expect "zsh: traces or an action" trace.rbt status
    in_zsh 'rubato sweep status ' | refuse "zsh: a file is no folder" trace.rbt
    in_zsh 'rubato sweep x --stat sm.warp_i' | expect "zsh: statistics" sm.warp_insts
    in_zsh 'rubato stats explain met' | expect "zsh: statistics to explain" metrics.ipc
    in_zsh 'rubato plot x --axis l2.w' | expect "zsh: keys have no =" l2.ways
    in_zsh 'rubato sweep x --vary sm.scheduler=gto,l' | expect "zsh: lists of values" lrr
    in_zsh 'rubato run x -s l2.rep' | expect "zsh: settings" l2.replacement=
    in_zsh 'rubato run x -s l2.replacement=' | expect "zsh: values" lru random
    in_zsh 'rubato run x --sample ste' | expect "zsh: samplers" stem stem_online
    in_zsh 'rubato gen s' | expect "zsh: workloads" sgemm softmax
    in_zsh 'rubato config ' | expect "zsh: actions" explain show
    in_zsh 'rubato config explain l2.w' | expect "zsh: settings to explain" l2.ways
else
    echo "zsh is not installed: its completion is not tried"
fi
exit $failed
