#include "frontend/report/line_chart.h"

#include <math.h>

#include "frontend/report/html_page.h"

enum { LEFT = 90, TOP = 20, WIDTH = 560, HEIGHT = 260, BELOW = 50, RIGHT = 30, TICKS_MAX = 6 };

static const char *const colours[LINE_CHART_SERIES] = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                       "#cc79a7", "#56b4e9", "#999900", "#888888"};

/* A round number of units between two ticks: 1, 2 or 5 times a power of ten. */
static double tick_step(double top)
{
    double raw = top / (TICKS_MAX - 1), power = pow(10.0, floor(log10(raw))), part = raw / power;
    return power * (part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
}

static double place_x(const line_chart_t *c, size_t i)
{
    if (c->n_places == 1)
        return LEFT + WIDTH / 2.0;
    return LEFT + 20.0 + (WIDTH - 40.0) * (double)i / (double)(c->n_places - 1);
}

static double value_y(double v, double top)
{
    return TOP + HEIGHT * (1.0 - v / top);
}

static void write_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    html_text(out, text);
    fputs("</text>\n", out);
}

static void write_axes(FILE *out, const line_chart_t *c, double top, double step)
{
    char text[32];
    for (double v = 0.0; v <= top * (1.0 + 1e-9); v += step) {
        double y = value_y(v, top);
        fprintf(out, "<line class=\"rule\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT,
                LEFT + WIDTH, y, y);
        snprintf(text, sizeof(text), "%.6g", v);
        write_text(out, LEFT - 8, y + 4, "end", text);
    }
    /* Names that would overlap are left out; hovering tells them. */
    size_t every = (c->n_places + 11) / 12;
    for (size_t i = 0; i < c->n_places; i += every)
        write_text(out, place_x(c, i), TOP + HEIGHT + 18, "middle", c->places[i]);
    write_text(out, LEFT + WIDTH / 2.0, TOP + HEIGHT + 38, "middle", c->x_label);
    fprintf(out, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">",
            TOP + HEIGHT / 2);
    html_text(out, c->y_label);
    fputs("</text>\n", out);
}

/* A circle, square, diamond or triangle around a point. */
static void write_marker(FILE *out, size_t series, double x, double y)
{
    static const char *const shapes[] = {
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
        "M-4 -4h8v8h-8z",
        "M0 -5l5 5l-5 5l-5 -5z",
        "M0 -5l5 9h-10z",
    };
    enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };
    fprintf(out, "<path transform=\"translate(%.1f %.1f)\" fill=\"%s\" d=\"%s\">", x, y,
            colours[series], shapes[series % SHAPES]);
}

static void write_series(FILE *out, const line_chart_t *c, size_t index, double top)
{
    const line_series_t *s = &c->series[index];
    char pen = 'M';
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colours[index]);
    for (size_t i = 0; i < c->n_places; i++) {
        if (isfinite(s->y[i]))
            fprintf(out, "%c%.1f %.1f", pen, place_x(c, i), value_y(s->y[i], top));
        pen = isfinite(s->y[i]) ? 'L' : 'M';
    }
    fputs("\"/>\n", out);
    for (size_t i = 0; i < c->n_places; i++) {
        if (!isfinite(s->y[i]))
            continue;
        write_marker(out, index, place_x(c, i), value_y(s->y[i], top));
        fputs("<title>", out);
        html_text(out, s->name);
        fputs(", ", out);
        html_text(out, c->places[i]);
        fprintf(out, ": %.10g</title></path>\n", s->y[i]);
    }
}

/* Below the chart, where long names wrap. */
static void write_legend(FILE *out, const line_chart_t *c, size_t n)
{
    fputs("<figcaption>\n", out);
    for (size_t i = 0; i < n; i++) {
        fputs("<span class=\"key\"><svg viewBox=\"-6 -6 12 12\" width=\"12\">", out);
        write_marker(out, i, 0.0, 0.0);
        fputs("</path></svg> ", out);
        html_text(out, c->series[i].name);
        fputs("</span>\n", out);
    }
    if (c->n_series > n)
        fprintf(out, "<br>The first %zu of %zu series; the table below has all.\n", n, c->n_series);
    fputs("</figcaption>\n", out);
}

void line_chart_write(FILE *out, const line_chart_t *c)
{
    size_t n = c->n_series < LINE_CHART_SERIES ? c->n_series : LINE_CHART_SERIES;
    double largest = 0.0;
    for (size_t s = 0; s < n; s++) {
        for (size_t i = 0; i < c->n_places; i++)
            largest = c->series[s].y[i] > largest ? c->series[s].y[i] : largest;
    }
    double step = tick_step(largest > 0.0 ? largest : 1.0);
    double top = step * ceil((largest > 0.0 ? largest : 1.0) / step - 1e-9);
    fprintf(out, "<figure>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\">\n<title>",
            LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW, LEFT + WIDTH + RIGHT);
    html_text(out, c->title);
    fputs("</title>\n", out);
    write_axes(out, c, top, step);
    for (size_t s = 0; s < n; s++)
        write_series(out, c, s, top);
    fputs("</svg>\n", out);
    write_legend(out, c, n);
    fputs("</figure>\n", out);
}
