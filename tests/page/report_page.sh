#!/bin/bash
# Tests reports in a real browser: content, sorting, filters, choices, no error on the console, nothing
# loaded from the network. Exit status 77 if there is no Chromium.
set -eu
rubato=$1 trace=$2
here=$(cd "$(dirname "$0")" && pwd)
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
    echo "skipped: no Chromium on this machine"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work

# page FILE "WHAT": the sections, charts and tables that must be there.
page()
{
    watch='s/^<head>$/<head><script>const problems=[];let atFirst=0;document.addEventListener("DOMContentLoaded",()=>{atFirst=document.querySelectorAll("*").length});window.onerror=m=>{problems.push(m)};console.error=(...m)=>{problems.push(m.join(" "))};<\/script>/'
    sed "$watch" "$1" | sed '/^<\/body>$/d; /^<\/html>$/d' >test.html
    { echo '<script>'; cat "$here/page_test.js"; echo '</script></body></html>'; } >>test.html
    title=
    # On a busy machine the browser may fail to start without a message: try once more.
    for _ in 1 2 3; do
        title=$(timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --window-size=1250,900 --virtual-time-budget=20000 --dump-dom "file://$work/test.html" \
            2>/dev/null | sed -n 's/.*<title>\(GOOD\|BAD\)\(.*\)/\1\2/p' | sed 's/<\/title>.*//' | head -1)
        [ -n "$title" ] && break
    done
    case $title in
    "GOOD $2"*) echo "ok: $1: $title" ;;
    *) echo "$1: wanted '$2', it says '$title'"; exit 1 ;;
    esac
}

# narrow FILE: on the screen of a telephone, only tables and charts scroll sideways.
narrow()
{
    cp "$1" narrow.html
    cat >frame.html <<'HTML'
<html><head><title>none</title></head><body><iframe id="f" src="narrow.html" width="390" height="800"></iframe><script>
f.onload = () => setTimeout(() => {
  const d = f.contentDocument, wide = [...d.querySelectorAll("body *")]
    .filter(e => e.getBoundingClientRect().right > 391 && !e.closest(".wide, .pane, .chart"));
  document.title = d.documentElement.scrollWidth <= 390 && !wide.length ? "GOOD" :
    `BAD ${d.documentElement.scrollWidth} ${wide.slice(0, 5).map(e => `${e.tagName}.${e.className}`).join(" ")}`;
}, 1500);
</script></body></html>
HTML
    title=
    for _ in 1 2 3; do
        title=$(timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --allow-file-access-from-files --window-size=900,900 --virtual-time-budget=10000 \
            --dump-dom "file://$work/frame.html" 2>/dev/null | sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' | head -1)
        [ -n "$title" ] && break
    done
    [ "$title" = GOOD ] || { echo "$1: at 390 pixels it says '$title'"; exit 1; }
}

# Without copies in the L2 there is DRAM traffic, and a chart of it.
cold=(-s gpu.memcpy_fills_l2=false)

"$rubato" run "$trace" -s sm.count=8 "${cold[@]}" -o run --stats-interval 200 >/dev/null 2>&1
"$rubato" report run
page run/report.html "run: 6 charts, 1 tables"

"$rubato" run "$trace" -s sm.count=8 "${cold[@]}" --json >run.json 2>/dev/null
printf 'Kernel,Elapsed_Cycles,DRAM_Rd,L2_RH\n%s,5000,100000,30000\n' \
    "$(sed -n 's/.*"name": "\([^"]*\)".*/\1/p' run.json | tail -1)" >measured.csv
"$rubato" report run.json --hardware measured.csv -o hardware.html
page hardware.html "run hardware: 7 charts, 2 tables"

# The profile of instructions, with source lines of a file that is there and of one that is not.
# profile KERNELS ROWS MORE FOLDER: the first kernel has ROWS instructions, each next one MORE more.
profile()
{
    cp -r run "$4"
    awk -v folder="$PWD" -v kernels="$1" -v rows="$2" -v more="$3" 'BEGIN {
        OFS = ","
        print "kernel,name,arch,launches,estimated,pc,opcode,class,text,file,line,issued,lanes,state_no_warp,state_selected,state_wait,state_long_scoreboard,awaited_long,requests,sectors,l1_hits,results,result_cycles"
        for (k = 1; k <= kernels; k++) {
            name = "\"kernel" k "(float*, int)\""
            for (i = 0; i < rows + more * (k - 1); i++) {
                file = i % 3 > 0 ? "\"" folder "/code.cu\"" : (i % 2 > 0 ? "gone.cu" : "")
                line = i % 3 > 0 ? 1 + i % 40 : (i % 2 > 0 ? i : "")
                waited = i % 7 > 0 ? 0 : 100 * i
                awaited = i % 7 == 2 ? 100 * (i + 5) : 0
                text = "\"LDG.E R" (i % 90) ", [R2]\""
                print k, name, 75, 3, 0, 16 * i, "LDG", "load", text, file, line,
                    k * (i + 1), 31 * k * (i + 1), 0, k * (i + 1), 3 * i, waited, awaited, i, 4 * i, i, i, 400 * i
            }
            print k, name, 75, 3, 0, "", "", "", "", "", "", 0, 0, 999, 0, 0, 0, 0, 0, 0, 0, 0, 0
        }
    }' >"$4"/instructions.csv
    awk -v kernels="$1" -v rows="$2" -v more="$3" 'BEGIN {
        OFS = ","
        print "kernel,pc,state,for_pc,cycles"
        for (k = 1; k <= kernels; k++)
            for (i = 7; i < rows + more * (k - 1); i += 7)
                print k, 16 * i, "long_scoreboard", (i > 20 ? 16 * (i - 5) : ""), 100 * i
    }' >"$4"/instruction_waits.csv
}

for n in $(seq 40); do echo "line($n); // <b>&</b>"; done >code.cu
profile 2 300 300 profiled
"$rubato" report profiled
page profiled/report.html "run instructions: 6 charts, 2 tables"
narrow profiled/report.html

# Ten kernels with 2,000 instructions each are a small page, too.
profile 10 2000 0 long
"$rubato" report long
[ "$(stat -c %s long/report.html)" -lt 5000000 ] || { echo "long/report.html: too large"; exit 1; }
page long/report.html "run instructions: 6 charts, 2 tables"
# Streams: a launch that the run has, one that it lacks, copies, and an operation without time.
cp -r run streams
cat >streams/streams.csv <<'CSV'
operation,kind,stream,priority,launch,bytes,ready,start,end,cycles,alone,shared,critical
1,copy to the device,1,0,,4096,0,0,900,900,,,1
2,launch,1,0,1,0,900,900,5000,4100,100,4000,1
3,launch,2,0,77,0,0,1000,4900,3900,0,3900,0
4,memory set,2,0,,64,4900,4900,4900,0,,,0
5,copy to the host,2,-1,,4096,4900,4900,6000,1100,,,1
CSV
"$rubato" report streams
page streams/report.html "run streams: 7 charts, 2 tables"
sed 's/^2,launch/2,launch,x/; s/,4900,6000/,later,6000/' streams/streams.csv >bad.csv
cp bad.csv streams/streams.csv
if "$rubato" report streams >log 2>&1 || ! grep 'streams.csv:3: not a row of a streams.csv' log >/dev/null; then
    echo "a bad streams.csv is not named"
    exit 1
fi

# A suite: programs side by side, and against measurements.
mkdir suite
"$rubato" gen vecadd --size 4096 -o suite/vecadd.rbt 2>/dev/null
"$rubato" gen reduction --size 4096 -o suite/reduction.rbt 2>/dev/null
"$rubato" gen stencil -p size=66 -p steps=2 -o suite/stencil.rbt 2>/dev/null
"$rubato" sweep suite --gpu v100 "${cold[@]}" --vary sm.count=2,4,8 -o suite_sweep --progress never >/dev/null 2>&1
"$rubato" report suite_sweep
page suite_sweep/report.html "sweep: 4 charts, 1 tables"
printf 'app,Elapsed_Cycles,DRAM_Rd\nvecadd,9000,100\nreduction,8000,200\nstencil,10000,300\n' >suite.csv
"$rubato" report suite_sweep --hardware suite.csv -o suite.html
page suite.html "sweep hardware hardware hardware: 7 charts, 7 tables"

# Tensor cores have a separate roof.
"$rubato" gen hgemm --size 64 -o hgemm.rbt 2>/dev/null
"$rubato" run hgemm.rbt -s sm.count=8 "${cold[@]}" -o tensor >/dev/null 2>&1
"$rubato" report tensor
page tensor/report.html "run: 6 charts, 1 tables"

"$rubato" sweep "$trace" --gpu v100 --vary l2.size=3MiB,6MiB --vary sm.count=8,16 \
    --vary delta=none,l1off -o sweep --progress never >/dev/null
"$rubato" report sweep
page sweep/report.html "sweep: 6 charts, 1 tables"

"$rubato" gen stencil -p size=258 -p steps=12 -o steps.rbt 2>/dev/null
"$rubato" evaluate steps.rbt -s sm.count=8 --sample stem --sample photon_warp -o evaluation \
    --progress never >/dev/null || true
"$rubato" report evaluation
page evaluation/report.html "evaluation: 3 charts, 4 tables"
narrow evaluation/report.html

# The data that samplers looked at, of a run and of the runs of an evaluation.
"$rubato" gen blackscholes --size 131072 -p launches=2 -o options.rbt 2>/dev/null
"$rubato" run options.rbt -s sm.count=4 "${cold[@]}" --sample photon_bb,tbpoint_region --detectors -o looked >/dev/null 2>&1
"$rubato" report looked
page looked/report.html "run detectors: 10 charts, 1 tables"
"$rubato" evaluate options.rbt -s sm.count=4 --sample photon_warp --sample tbpoint_region --detectors \
    -o looked_at --progress never >/dev/null
"$rubato" report looked_at
page looked_at/report.html "evaluation detectors detectors: 10 charts, 4 tables"

# An estimated run shows its intervals.
"$rubato" gen stencil -p size=66 -p steps=30 -o sampled.rbt 2>/dev/null
"$rubato" run sampled.rbt -s sm.count=4 "${cold[@]}" --warmup keep --sample random:fraction=30% -o sampled >/dev/null 2>&1
"$rubato" report sampled
page sampled/report.html "run: 8 charts, 1 tables"

# The page of ten thousand launches is small.
"$rubato" gen stencil -p size=3 -p steps=10000 -o many.rbt 2>/dev/null
"$rubato" run many.rbt -s sm.count=1 "${cold[@]}" --progress never -o many >/dev/null 2>&1
"$rubato" report many
[ "$(stat -c %s many/report.html)" -lt 10000000 ] || { echo "many/report.html: too large"; exit 1; }
page many/report.html "run: 6 charts, 1 tables"
