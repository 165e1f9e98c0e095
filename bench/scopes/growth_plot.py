"""A picture of measured times and a model that is fitted to them, drawn by gnuplot."""

import shutil
import subprocess

SCRIPT = """
set terminal pngcairo size 1000,640 font "sans,12"
set output "{picture}"
set title "The time of a pull: {label}"
set xlabel "{label}"
set ylabel "microseconds"
set logscale xy
set grid
set key left top
set offsets graph 0.05, graph 0.05, graph 0.1, graph 0.05
plot "{data}" using 1:2 with points pointtype 7 linecolor "#1f5fa8" title "measured", \\
     "{data}" using 1:4 with lines linecolor "#1f5fa8" title "{model}", \\
     "{data}" using 1:3 with linespoints pointtype 6 dashtype 2 linecolor "gray50" title "plain ZeroMQ"
"""


def fit(measured, terms):
    """Fits the model sum(c_i * term_i(count)) with coefficients that are not negative. Minimises the relative error, by
    least squares and the normal equations; a term whose coefficient would be negative is left out."""
    used = list(range(len(terms(2))))
    while True:
        rows = [[terms(count)[i] / time for i in used] for count, time, _ in measured]
        solved = solve([[sum(row[i] * row[j] for row in rows) for j in range(len(used))] for i in range(len(used))],
                       [sum(row[i] for row in rows) for i in range(len(used))])
        if min(solved) >= 0 or len(used) == 1:
            break
        del used[solved.index(min(solved))]
    coefficients = [0.0] * len(terms(2))
    for i, value in zip(used, solved):
        coefficients[i] = value
    return lambda count: sum(c * term for c, term in zip(coefficients, terms(count))), coefficients


def solve(matrix, right):
    """Solves a small system of equations by Gaussian elimination."""
    size = len(right)
    rows = [row + [value] for row, value in zip(matrix, right)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(size):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def draw(measured, label, model, picture):
    """Draws points (count, ours, plain ZeroMQ's) and the model through ours. Returns None, or the reason why there is no
    picture."""
    if shutil.which("gnuplot") is None:
        return "no plot: gnuplot is not installed; scripts/setup --bench does"
    of_count, coefficients = model
    words = {2: "{:.3g} + {:.3g} n", 3: "{:.3g} + {:.3g} log2 n + {:.3g} n"}[len(coefficients)].format(*coefficients)
    data = picture.with_suffix(".dat")
    data.write_text("".join(f"{count} {ours} {plain} {of_count(count)}\n" for count, ours, plain in measured))
    script = SCRIPT.format(picture=picture, data=data, label=label, model=words)
    done = subprocess.run(
        ["gnuplot"], input=script, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    data.unlink()
    # gnuplot returns 0 even if it could not open the picture.
    return None if done.returncode == 0 and picture.is_file() else f"no plot: {' '.join(done.stderr.split())}"
