#!/usr/bin/env bash
# The tables of a card from clock values of a made-up card, and the configuration that follows.
# Needs no GPU and no nvcc.
set -euo pipefail
[ $# = 3 ] || { echo "usage: $0 RUBATO CARD_TABLES MEASURED"; exit 2; }
rubato=$1 tables=$2 measured=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "failed: $*"; exit 1; }
refused() { # TEXT COMMAND...: exit status 2 and a message with TEXT
    local text=$1 status=0
    shift
    "$@" >out 2>&1 || status=$?
    [ "$status" = 2 ] || fail "$* ended with $status: $(cat out)"
    grep -qF -- "$text" out || fail "$* did not say '$text': $(cat out)"
}

# Clocks of a card whose counter began at a billion, with one slow repeat of each test.
make_card() {
    rm -rf raw && mkdir raw
    printf 'key,value\ncard,Made Up\nsms,40\nclock_khz,1500000\nl2_bytes,4194304\ndriver,12020\n' >raw/card.csv
    awk -v OFS=, '
        function launch(test, kind, x, repeat, amount, unit, cycles, warps,    w) {
            n++
            print n, test, kind, x, repeat, amount, unit >"raw/launches.csv"
            for (w = 0; w < warps; w++) {
                print n, 0, w, 0, sprintf("%.0f", 1e9 + n * 1e5 + w) >"raw/clocks.csv"
                print n, 0, w, 1, sprintf("%.0f", 1e9 + n * 1e5 + cycles - warps + 1 + w) >"raw/clocks.csv"
            }
        }
        function slope(test, x, each,    r) {
            for (r = 0; r < 3; r++) {
                launch(test, "slope", x, r, 64, "cycles", 31 + 64 * each, 1)
                launch(test, "slope", x, r, 192, "cycles", 31 + 192 * each + (r == 1 ? 3 : 0), 1)
            }
        }
        function rate(test, each,    r) {
            for (r = 0; r < 3; r++) {
                launch(test, "rate", 0, r, 64000, "results", 200 + 64000 / each, 8)
                launch(test, "rate", 0, r, 192000, "results", 200 + 192000 / each, 8)
            }
        }
        BEGIN {
            print "launch,test,kind,x,repeat,amount,unit" >"raw/launches.csv"
            print "launch,block,warp,read,clock" >"raw/clocks.csv"
            slope("latency_ffma", 0, 5)
            slope("latency_mufu", 0, 19)
            rate("rate_ffma", 128)
            rate("rate_lop", 45)
            slope("latency_l1", 0, 35)
            slope("latency_l2", 0, 250)
            slope("latency_dram", 0, 500)
            slope("latency_shared", 1, 23)
            slope("latency_shared", 32, 116)
        }'
}

value() { awk -F, -v t="$1" -v x="$2" '$4 == t && $5 == x { print $6 }' raw/measured.csv; }
setting() { awk -v k="$1" '$1 == k { print $3 }' list; }
expect() { [ "$2" = "$3" ] || fail "$1 is '$2', not $3"; }

make_card
"$tables" raw
expect "median of the repeats" "$(value latency_ffma 0)" 5
expect "a rate" "$(value rate_ffma 0)" 128
expect "a point of a curve" "$(value latency_shared 32)" 116
expect "the curve's file" "$(cat raw/card_latency_shared.csv)" "$(printf 'x,value\n1,23\n32,116')"

"$rubato" config fit raw --base v100 -o my.cfg >list
"$rubato" config check ./my.cfg >/dev/null
expect lat.fp32 "$(setting lat.fp32)" 5
expect lat.mufu "$(setting lat.mufu)" 19
expect sm.fp32_lanes "$(setting sm.fp32_lanes)" 32
expect l1.latency "$(setting l1.latency)" 33
expect shared.conflict_latency "$(setting shared.conflict_latency)" 3
expect l2.latency "$(setting l2.latency)" $((250 - 9 - 8 - 60 - 60 - 6))
expect sm.count "$(setting sm.count)" 40
# The base's 64 slices cannot share 4 MiB evenly.
expect l2.size "$(setting l2.size)" -
grep -q '^l2.size .*must be a multiple' list || fail "why l2.size was not proposed is not named"
# 45 results a cycle are no width, and there is no row of SHFL.
expect sm.int_lanes "$(setting sm.int_lanes)" -
expect lat.shfl "$(setting lat.shfl)" -
grep -q 'shfl' my.cfg && fail "a setting without a row was proposed"
grep -q 'fp32 = 5; # measured: latency_ffma 5 (5 to' my.cfg || fail "the row of lat.fp32 is not named"
[ "$("$rubato" config show ./my.cfg lat | grep -c my.cfg)" = 2 ] || fail "other latencies than the measured ones changed"

# With tables of a simulation, a latency is the base's value plus the difference.
cp -r raw simulated
sed -i 's/latency_l2,0,250,cycles,3,[^,]*,[^,]*$/latency_l2,0,240,cycles,3,240,240/' simulated/measured.csv
"$rubato" config fit raw --base v100 --simulated simulated -o other.cfg >list
expect "l2.latency, compared" "$(setting l2.latency)" 75

# Clocks from elsewhere: a first round of reads, which does not count, and reads of other launches.
awk -F, -v OFS=, 'NR == 1 { print; next } $4 == 0 { print $1, $2, $3, 0, 1; print $1, $2, $3, 1, 2 } { $4 += 2; print }' raw/clocks.csv >more.csv
cp raw/measured.csv before.csv
"$tables" raw --clocks more.csv
cmp before.csv raw/measured.csv

# From a block to the next: two SMs whose clocks began at different times.
mkdir turn
cp raw/card.csv turn
{
    echo launch,test,kind,x,repeat,amount,unit
    echo 1,latency_next_block,turn,32,0,1,cycles
} >turn/launches.csv
printf '%s\n' launch,block,warp,read,clock 1,0,0,0,1000 1,0,0,1,2000 1,1,0,0,900000 1,1,0,1,900500 \
    1,2,0,0,900800 1,2,0,1,900900 1,3,0,0,2500 1,3,0,1,2600 >turn/clocks.csv
"$tables" turn
expect "a turn" "$(awk -F, '$4 == "latency_next_block" { print $6 }' turn/measured.csv)" 400
sed -i '8,9d' turn/clocks.csv
refused 'odd number of blocks' "$tables" turn
"$rubato" config fit turn --base v100 -o turn.cfg >list
expect "a turn without a simulation" "$(setting sched.dispatch_latency)" -
grep -q '^sched.dispatch_latency .*--simulated' list || fail "what the time between blocks needs is not named"

# The tables of a real card still give the values of its configuration.
"$rubato" config fit "$measured/h200" --base h200 -o h200.cfg >list
while read -r key; do
    shown=$("$rubato" config show h200 "${key%%.*}" | awk -v k="${key#*.}" '$1 == k { sub(";", "", $3); print $3; exit }')
    expect "$key of the H200" "$(setting "$key")" "$shown"
done <<'TEXT'
sm.count
lat.fp32
lat.popc
lat.mufu
lat.fp64_fma
lat.shfl
lat.hmma
lat.hmma_wide
lat.imma_wide
lat.dmma
sm.fp32_lanes
sm.int_lanes
sm.fp64_lanes
sm.xu_lanes
l1.latency
shared.latency
shared.conflict_latency
l2.latency
TEXT

# What is damaged is refused.
refused 'no clocks of launch' "$tables" raw --clocks <(head -n 3 raw/clocks.csv)
refused 'fewer than two reads' "$tables" raw --clocks <(head -n 2 raw/clocks.csv)
refused 'expected launch,block' "$tables" raw --clocks <(sed '5s/,/;/' raw/clocks.csv)
refused 'expected the columns' "$tables" raw --clocks /dev/null
refused 'runs backwards' "$tables" raw --clocks <(sed '3s/,[0-9]*$/,1/' raw/clocks.csv)
refused 'cannot be read' "$tables" nowhere
sed -i 2,\$d raw/launches.csv
echo '1,latency_ffma,slope,0,0,64,cycles' >>raw/launches.csv
refused 'lacks the second' "$tables" raw

make_card
"$tables" raw
refused 'give one folder' "$rubato" config fit raw
refused 'give one folder' "$rubato" config fit --base v100
refused 'nogpu' "$rubato" config fit raw --base nogpu
spoil() { # TEXT EDIT
    cp raw/measured.csv kept.csv
    sed -i "$2" raw/measured.csv
    refused "$1" "$rubato" config fit raw --base v100 -o new.cfg
    [ ! -e new.cfg ] || fail "a file was left after '$1'"
    cp kept.csv raw/measured.csv
}
spoil "column 'value'" '1s/,value,/,number,/'
spoil 'measured.csv:2' '2s/,5,cycles/,nan,cycles/'
spoil 'measured.csv:2' '2s/,5,cycles/,-5,cycles/'
spoil 'not between' '2s/,5,cycles/,99,cycles/'
spoil 'twice' '2{p}'
spoil 'measured.csv' 1,\$d
# Repeats that differ support no value; nor does a value that no configuration may have.
# Repeats may differ by 10 % of the value, and rates from a power of two by as much.
sed -i '2s/,[^,]*,[^,]*$/,4.75,5.25/' raw/measured.csv
"$rubato" config fit raw --base v100 -o my.cfg >list
expect "a row on the edge" "$(setting lat.fp32)" 5
sed -i '2s/,[^,]*,[^,]*$/,4.7,5.3/' raw/measured.csv
"$rubato" config fit raw --base v100 -o my.cfg >list
expect "a row beyond the edge" "$(setting lat.fp32)" -
cp raw/measured.csv steady.csv
sed -i 's/rate_ffma,0,128,results,3,128,128/rate_ffma,0,116,results,3,116,116/' raw/measured.csv
"$rubato" config fit raw --base v100 -o my.cfg >list
expect "a rate near a power of two" "$(setting sm.fp32_lanes)" 32
sed -i 's/rate_ffma,0,116,results,3,116,116/rate_ffma,0,112,results,3,112,112/' raw/measured.csv
"$rubato" config fit raw --base v100 -o my.cfg >list
expect "a rate near none" "$(setting sm.fp32_lanes)" -
mv steady.csv raw/measured.csv
sed -i '2s/,[^,]*,[^,]*$/,1,9/' raw/measured.csv
sed -i 's/latency_mufu,0,19,cycles,3,[^,]*,[^,]*$/latency_mufu,0,1e9,cycles,3,1e9,1e9/' raw/measured.csv
"$rubato" config fit raw --base v100 -o my.cfg >list
expect "a restless row" "$(setting lat.fp32)" -
expect "an illegal value" "$(setting lat.mufu)" -
grep -q 'differ by more than 10' list || fail "the spread is not named"

# A card's name can end neither a string nor a comment.
sed -i 's/^card,.*/card,"a""; }; x = 1; # \\"/' raw/card.csv
"$rubato" config fit raw --base v100 -o my.cfg >list
"$rubato" config check ./my.cfg >/dev/null
echo "passed"
