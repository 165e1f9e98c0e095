"""The curve of slowdown against events a second, as a picture, drawn by gnuplot."""

import shutil
import subprocess

SCRIPT = """
set terminal pngcairo size 1000,640 font "sans,12"
set output "{picture}"
set title "What collecting costs the wind tunnel: 140 threads in one process, 2240 trace elements"
set xlabel "events recorded a second"
set ylabel "slowdown: run time with collectors / without"
set logscale x
set xrange [{least}:{most}]
set format x "10^{{%T}}"
set grid
unset key
set offsets 0, 0, graph 0.1, graph 0.05
set bars 0.5
set arrow from graph 0, first 1 to graph 1, first 1 nohead linecolor "gray40"
set label "N as labelled; medians, 95 % intervals" at graph 0.01, graph 0.97 textcolor "gray20"
{markers}
plot "{data}" using 1:2:3:4 with yerrorbars pointtype 7 linecolor "#1f5fa8" linewidth 1.5, \\
     "{data}" using 1:2:5 with labels left offset 0.7,0.5 textcolor "gray20"
"""

MARKER = 'set arrow from {rate}, graph 0 to {rate}, graph 1 nohead dashtype 2 linecolor "gray50"\n' \
         'set label "{words}" at {rate}, graph 0.03 offset 0.5,0 textcolor "gray40"\n'


def draw(points, marked, picture):
    """Draws points (events a second, ratio, interval, label), and marked lines (rate, words). Returns None, or the
    reason why there is no picture."""
    if shutil.which("gnuplot") is None:
        return "no plot: gnuplot is not installed; scripts/setup --bench does"
    data = picture.with_suffix(".dat")
    lines = [f'{rate} {ratio} {low} {high} "{label}"\n' for rate, ratio, (low, high), label in points]
    data.write_text("".join(lines))
    markers = "".join(MARKER.format(rate=rate, words=words) for rate, words in marked)
    rates = [point[0] for point in points] + [rate for rate, _ in marked]
    script = SCRIPT.format(picture=picture, data=data, markers=markers, least=min(rates) / 2, most=max(rates) * 3)
    done = subprocess.run(
        ["gnuplot"], input=script, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    data.unlink()
    # gnuplot returns 0 even if it could not open the picture.
    return None if done.returncode == 0 and picture.is_file() else f"no plot: {' '.join(done.stderr.split())}"
