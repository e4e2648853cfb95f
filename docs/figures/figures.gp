# Draws silicon.svg and speed.svg of README.md from the tables beside this file: cd docs/figures && gnuplot figures.gp
# study.svg is rubato's own figure:
#   rubato gen solver --size 65536 -p degree=12 -p local=30 -p iterations=30 -o solver.rbt
#   rubato sweep solver.rbt --gpu v100 --sample stem_online:pilot=6 \
#     --vary l2.size=6MiB,4608KiB,3MiB,1536KiB,768KiB --vary sm.count=40,20 -o study
#   rubato plot study --what curve --axis l2.size -o study.svg
set datafile separator ","
set terminal svg size 460,330 font "Helvetica,12" background "white"
set key bottom center horizontal samplen 0.5
set grid lc rgb "#dddddd"
set border lc rgb "#666666"
set logscale x

set output "silicon.svg"
set title "Cycles of 24 programs beside a QV100"
set xlabel "measured cycles"
set ylabel "simulated / measured"
set format x "10^{%L}"
set yrange [0.4:1.7]
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#444444"
plot "silicon.csv" skip 1 using 3:($5/$3) with points pt 6 ps 0.8 lc rgb "#999999" title "Accel-Sim", \
     "" skip 1 using 3:($2 == 0 ? $4/$3 : 1/0) with points pt 7 ps 0.7 lc rgb "#0060ad" title "rubato", \
     "" skip 1 using 3:($2 == 1 ? $4/$3 : 1/0) with points pt 9 ps 0.8 lc rgb "#c03030" title "rubato, held out"

set output "speed.svg"
unset arrow 1
set title "Processor time of 26 traces on the V100"
set xlabel "warp instructions"
set ylabel "seconds, one thread"
set yrange [0.01:1000]
set logscale y
set format y "10^{%L}"
set key top left
plot "speed.csv" skip 1 using 2:3 with points pt 6 ps 0.8 lc rgb "#999999" title "Accel-Sim", \
     "" skip 1 using 2:5 with points pt 7 ps 0.7 lc rgb "#0060ad" title "rubato"
