#!/bin/sh
# Runs the commands of sections of a document, one after the other, those on indented lines that begin with
# "rubato " or "cp traces/", and checks
# that what the document shows below them (the other indented lines of the sections) is printed; "..." stands for
# lines that are left out. Figures are drawn where gnuplot is installed.
# usage: doc_example.sh RUBATO DOCUMENT SECTION...
rubato=$1 document=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for section; do
    awk -v title="## $section" '/^## / { on = $0 == title } on && /^    / { print substr($0, 5) }' \
        "$document"
done >"$work/lines"
commands='^(rubato|cp traces/[^ ]*) '
grep -E "$commands" "$work/lines" >"$work/commands"
grep -Ev "$commands" "$work/lines" | grep -v '^\.\.\.$' | sed 's/ *$//' | grep . >"$work/shown"
command -v gnuplot >"$work/which" || sed -i '/^rubato plot /d' "$work/commands"
ln -s "$(cd "$(dirname "$document")/.." && pwd)/traces" "$work/traces"
if [ ! -s "$work/commands" ] || [ ! -s "$work/shown" ]; then
    echo "$document: no commands, or no output, in: $*"
    exit 1
fi
cd "$work" || exit 2
wrong=0
while read -r program words; do
    [ "$program" = cp ] || program=$rubato
    # shellcheck disable=SC2086 # the words of a command
    if ! "$program" $words >>printed 2>log; then
        echo "$document: $program $words fails:"
        cat log
        exit 1
    fi
done <commands
sed -i 's/ *$//' printed
while IFS= read -r line; do
    if ! grep -qxF -- "$line" printed; then
        echo "$document: not printed: $line"
        wrong=1
    fi
done <shown
[ $wrong -eq 0 ] || cat printed
exit $wrong
