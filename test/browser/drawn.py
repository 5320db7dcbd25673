# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what the timeline of a page draws, in pixels, with the answers of ctrace.

The tests record the lines that the page draws on its canvas. They do not use the calculations of the page: the place of
a lane is that of its label, and the place of a time follows from the two ends of the picture."""
import json
import subprocess

LANE_PX = 26          # from the top of a lane to the top of the next one
NEAR_PX = 1.5
PATH_WIDTH, HOP_WIDTH = 3, 1.3
ARROWS_MISSED = 0.03  # the page and the table of intervals may look at different windows: for so many, the task to blame differs

# Draws the timeline, and returns its lines: [kind, width, dashed, colour, points]. A Path2D is of the kind "path".
RECORD = """(() => {
    const lines = [], proto = CanvasRenderingContext2D.prototype, t = ctrace_view.timeline;
    const kept = { moveTo: proto.moveTo, lineTo: proto.lineTo, beginPath: proto.beginPath, stroke: proto.stroke,
        pathMove: Path2D.prototype.moveTo, pathLine: Path2D.prototype.lineTo };
    let points = [];
    proto.beginPath = function () { points = []; return kept.beginPath.call(this); };
    proto.moveTo = function (x, y) { points.push(['m', x, y]); return kept.moveTo.call(this, x, y); };
    proto.lineTo = function (x, y) { points.push(['l', x, y]); return kept.lineTo.call(this, x, y); };
    Path2D.prototype.moveTo = function (x, y) { (this.seen = this.seen || []).push(['m', x, y]); return kept.pathMove.call(this, x, y); };
    Path2D.prototype.lineTo = function (x, y) { (this.seen = this.seen || []).push(['l', x, y]); return kept.pathLine.call(this, x, y); };
    proto.stroke = function (path) {
        lines.push([path ? 'path' : 'line', this.lineWidth, this.getLineDash().length > 0, this.strokeStyle, path ? path.seen || [] : points]);
        return path ? kept.stroke.call(this, path) : kept.stroke.call(this);
    };
    t.draw();
    Object.assign(proto, { moveTo: kept.moveTo, lineTo: kept.lineTo, beginPath: kept.beginPath, stroke: kept.stroke });
    Object.assign(Path2D.prototype, { moveTo: kept.pathMove, lineTo: kept.pathLine });
    const box = t.canvas.getBoundingClientRect();
    const labels = Array.from(document.querySelectorAll('#labels .lane'), e => [e.textContent, e.getBoundingClientRect().top - box.top]);
    return { lines, labels, left: t.gutter, width: box.width, from: t.from, to: t.to, base: ctrace_view.doc.window.from_ns };
})()"""


class Picture:
    def __init__(self, page):
        r = page.js(RECORD)
        self.lines, self.base = r["lines"], r["base"]
        self.begin, self.end, self.left, self.width = r["from"] + self.base, r["to"] + self.base, r["left"], r["width"]
        self.labels = r["labels"]

    def x_of(self, ns):
        x = self.left + (ns - self.begin) / (self.end - self.begin) * (self.width - self.left)
        return min(max(x, self.left), self.width)

    def tid_at(self, y):
        """The task whose lane has this height, or None."""
        for text, top in self.labels:
            if top - 5 <= y < top - 5 + LANE_PX:
                return int(text.rsplit("[", 1)[1].split("]")[0])
        return None

    def tids(self):
        return {int(text.rsplit("[", 1)[1].split("]")[0]) for text, _ in self.labels}

    def strokes(self, width):
        """The single lines of the path with this width: (x, y, x, y)."""
        points = [p for line in self.lines if line[0] == "path" and abs(line[1] - width) < 0.01 for p in line[4]]
        return [(a[1], a[2], b[1], b[2]) for a, b in zip(points, points[1:]) if b[0] == "l"]


def path_pieces(picture, path):
    """The pieces of `ctrace path --json` that have to be drawn: (tid, from, to), neighbours of the same task joined."""
    out = []
    for p in path:
        begin, end = max(p["from_ns"], picture.begin), min(p["to_ns"], picture.end)
        if begin >= end:
            continue
        if out and out[-1][0] == p["tid"] and out[-1][2] == begin:
            out[-1][2] = end
        else:
            out.append([p["tid"], begin, end])
    return out


def check_path(picture, path, joined):
    """Yields what is wrong with the drawn path. joined: the page has joined short pieces."""
    along = picture.strokes(PATH_WIDTH)
    drawn = []
    for x1, y1, x2, y2 in along:
        if abs(y1 - y2) > 0.01 or picture.tid_at(y1) is None:
            yield "a piece of the path is no line in a lane: %s" % [x1, y1, x2, y2]
            continue
        tid = picture.tid_at(y1)
        if drawn and drawn[-1][0] == tid and abs(drawn[-1][2] - x1) < 0.01:
            drawn[-1][2] = x2
        else:
            drawn.append([tid, x1, x2])
    shown = picture.tids()
    want = [[tid, picture.x_of(a), picture.x_of(b)] for tid, a, b in path_pieces(picture, path) if tid in shown]
    if not joined:
        if len(drawn) != len(want):
            yield "the path has %d pieces, not %d" % (len(drawn), len(want))
        for got, piece in zip(drawn, want):
            if got[0] != piece[0] or abs(got[1] - piece[1]) > NEAR_PX or abs(got[2] - piece[2]) > NEAR_PX:
                yield "a piece of the path is at %s, not at %s" % (got, piece)
                break
    for tid in shown:
        got, total = (sum(b - a for t, a, b in x if t == tid) for x in (drawn, want))
        if abs(got - total) > max(NEAR_PX, total / 20):
            yield "the path of %d is %.1f px long, not %.1f px" % (tid, got, total)
    yield from check_hops(picture, drawn)


def check_hops(picture, drawn):
    """Thin lines lead from the end of a piece to the begin of the next piece, if the two are in different lanes."""
    hops = picture.strokes(HOP_WIDTH)
    want = [(a[2], a[0], b[0]) for a, b in zip(drawn, drawn[1:]) if a[0] != b[0] and abs(a[2] - b[1]) < 0.01]
    got = [(x1, picture.tid_at(y1), picture.tid_at(y2)) for x1, y1, x2, y2 in hops if abs(x1 - x2) < 0.01]
    if got != want:
        yield "the path changes its lane %d times, not %d times: %s" % (len(got), len(want), [x for x in zip(got, want) if x[0] != x[1]][:2])


def waits(opt, trace, window):
    """{(task to blame, waiting task): [(end of the wait, certain)]} of the table of intervals."""
    out = subprocess.run([opt.ctrace, "export", "--format", "ndjson", "--table", "intervals", "--from", "mono:%d" % window[0], "--to", "mono:%d" % window[1], trace],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    found = {}
    for line in out.splitlines():
        r = json.loads(line)
        if r["for_tid"] is not None:
            found.setdefault((r["for_tid"], r["tid"]), []).append((r["to_ns"], r["strength"] == "strong" or r["edge"] in ("lock", "kernel-lock")))
    return found


def returns(path):
    """As waits(), by the path: each time that it goes back from the work of a task to the task that waited for it. The path
    knows for which request a task waited, so it may blame another task than the table does."""
    found, stack = {}, []
    for a, b in zip(path, path[1:]):
        stack = stack[:a["depth"]] + [None] * (a["depth"] - len(stack)) + [a]
        if b["depth"] < a["depth"] and stack[b["depth"] + 1]:
            by = stack[b["depth"] + 1]
            found.setdefault((by["tid"], b["tid"]), []).append((b["from_ns"], by["reason"]["strength"] == "strong"))
    return found


def check_arrows(page, picture, known):
    """Yields what is wrong with the drawn arrows. `known`: the results of waits() and returns()."""
    arrows = page.js("ctrace_view.timeline.placed.map(p => ({ ends: [p.ax, p.y1, p.bx, p.by], from: p.arrow.from.tid, to: p.arrow.to.tid, "
                     "certain: p.arrow.certain, link: p.arrow.link !== undefined, wait: p.arrow.span !== null }))")
    lines = [(line[2], [c for p in line[4] for c in p[1:]]) for line in picture.lines if line[0] == "line"]
    missed, compared = [], 0
    for a in arrows:
        x1, y1, x2, y2 = a["ends"]
        if (not a["certain"], a["ends"]) not in lines:
            yield "an arrow is not drawn, or not dashed as it has to be: %s" % a
        if picture.tid_at(y1) != a["from"] or picture.tid_at(y2) != a["to"]:
            yield "an arrow from %d to %d leads from the lane of %s to that of %s" % (a["from"], a["to"], picture.tid_at(y1), picture.tid_at(y2))
        pair = known.get((a["from"], a["to"]), [])
        if not a["wait"] or (a["link"] and not a["certain"] and not pair):
            continue  # a link without a wait that one task ended, or that only the diagnosis inferred
        compared += 1
        inside = lambda x: min(max(x, picture.left + 2), picture.width - 6)
        ends = [(abs(inside(picture.x_of(ns)) - x2), sure) for ns, sure in pair]
        near = [sure for far, sure in ends if far <= NEAR_PX]
        if not near or (not a["link"] and a["certain"] not in near):
            missed.append((a, min(ends, default=None)))
    if len(missed) > compared * ARROWS_MISSED:
        yield "%d of %d arrows end where no wait ends: %s" % (len(missed), compared, missed[:2])


def check_pixels(page, picture, path):
    """Yields what is wrong with the colours on the canvas: the middle of each long piece of the path has the colour of
    the path, except where an arrow or the end of another piece lies over it."""
    top = {int(text.rsplit("[", 1)[1].split("]")[0]): y - 5 for text, y in picture.labels}
    spots = [(picture.x_of((a + b) / 2), top[tid] + LANE_PX - 2.5) for tid, a, b in path_pieces(picture, path)
             if tid in top and picture.x_of(b) - picture.x_of(a) > 6]
    colours = page.js("""(() => {
        const t = ctrace_view.timeline, ctx = document.createElement('canvas').getContext('2d', { willReadFrequently: true }), ratio = t.canvas.width / t.canvas.getBoundingClientRect().width;
        const path = document.createElement('canvas').getContext('2d');
        ctx.canvas.width = t.canvas.width;
        ctx.canvas.height = t.canvas.height;
        ctx.drawImage(t.canvas, 0, 0);
        path.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--path').trim();
        path.fillRect(0, 0, 1, 1);
        const want = path.getImageData(0, 0, 1, 1).data.join();
        return %s.map(([x, y]) => ctx.getImageData(Math.floor(x * ratio), Math.floor(y * ratio), 1, 1).data.join() === want);
    })()""" % json.dumps(spots))
    if spots and sum(colours) < 0.9 * len(spots):
        yield "of %d places on the path, %d have its colour" % (len(spots), sum(colours))


def check(opt, page, trace, path, joined):
    """Yields what is wrong. path: the pieces of `ctrace path`."""
    page.js("ctrace_view.timeline.set(0, 1e18)")
    whole = Picture(page)
    known = waits(opt, trace, (int(whole.begin), int(whole.end)))
    for pair, ends in returns(path).items():
        known.setdefault(pair, []).extend(ends)
    for begin, end in (0, 1), (0.3, 0.4):
        page.js("(() => { const ns = ctrace_view.doc.window.to_ns - ctrace_view.doc.window.from_ns; "
                "ctrace_view.timeline.set(%g * ns, %g * ns); })()" % (begin, end))
        picture = Picture(page)
        for bad in check_path(picture, path, joined):
            yield bad
        for bad in check_arrows(page, picture, known):
            yield bad
        if not joined:
            yield from check_pixels(page, picture, path)
    page.js("ctrace_view.timeline.set(0, 1e18)")
