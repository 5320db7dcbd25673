// SPDX-License-Identifier: GPL-2.0-or-later
// Draws the timeline on its canvas.

const ARROWS_DRAWN = 150, ARROW_MIN_PX = 3, ARROW_REACH = 5;
// Not only the colour tells the states apart: a run is as high as the lane, a wait is lower.
const HEIGHTS = { running: 18, runnable: 14, stopped: 6, unknown: 10, short_waits: 18 }, WAIT_HEIGHT = 10, LEAST_HEIGHT = 0.2;

const style = { read() {
	const s = getComputedStyle(document.documentElement);

	for (const name of Object.keys(TIMES).concat('back', 'card', 'line', 'text', 'soft', 'mark', 'path'))
		style[name] = s.getPropertyValue('--' + (name === 'short_waits' ? 'short' : name)).trim();
} };

function hatch(ctx, x, y, w, h, step) {
	ctx.save();
	ctx.beginPath();
	ctx.rect(x, y, w, h);
	ctx.clip();
	ctx.strokeStyle = style.soft;
	ctx.lineWidth = 1;
	ctx.beginPath();
	for (let i = Math.floor((x - h) / step) * step; i < x + w; i += step) {
		ctx.moveTo(i, y + h);
		ctx.lineTo(i + h, y);
	}
	ctx.stroke();
	ctx.restore();
}

function tick_ns(wanted) {
	const size = Math.pow(10, Math.floor(Math.log10(wanted)));

	return [1, 2, 5, 10].map(m => m * size).find(x => x >= wanted);
}

function draw_axis(ctx) {
	const t = timeline, step = tick_ns((t.to - t.from) / Math.max(2, (t.width - t.gutter) / 130));
	const digits = step >= 1e9 ? 0 : Math.min(9, 9 - Math.floor(Math.log10(step)));
	const first = Math.ceil((begin_ns + t.from) / step) * step - begin_ns;

	ctx.font = '12px system-ui, sans-serif';
	ctx.textBaseline = 'middle';
	for (let x = first; x <= t.to; x += step) {
		const px = Math.round(t.x_of(x)) + 0.5;

		ctx.strokeStyle = style.line;
		ctx.beginPath();
		ctx.moveTo(px, AXIS_HEIGHT - 6);
		ctx.lineTo(px, t.height);
		ctx.stroke();
		ctx.fillStyle = style.soft;
		if (px + 70 < t.width)
			ctx.fillText(wall(x, digits), px + 4, 11);
	}
}

function draw_missing(ctx) {
	const range = (g, y, h, step) => {
		const x = Math.max(timeline.x_of(g.from_ns), timeline.gutter), end = Math.min(timeline.x_of(g.to_ns), timeline.width);

		if (end > timeline.gutter && x < timeline.width)
			hatch(ctx, x, y, Math.max(end - x, 2), h, step);
	};

	doc.gaps.forEach(g => range(g, AXIS_HEIGHT - 6, timeline.height, 9));
	doc.lacking.filter(g => g.coarse).forEach(g => range(g, AXIS_HEIGHT - 6, 6, 4));
}

function draw_joined(ctx, s, x, w, y) {
	const all = s.to - s.from, h = HEIGHTS.short_waits;
	const ran = h * Math.min(1, s.ran / all), queued = h * Math.min(1, s.queued / all);

	ctx.fillStyle = style.timer;
	ctx.fillRect(x, y, w, h);
	if (queued >= LEAST_HEIGHT) {
		ctx.fillStyle = style.runnable;
		ctx.fillRect(x, y + h - ran - queued, w, queued);
	}
	ctx.fillStyle = style.running;
	ctx.fillRect(x, y + h - ran, w, ran);
}

function place_span(s) {
	const x = Math.max(timeline.x_of(s.from), timeline.gutter), end = Math.min(timeline.x_of(s.to), timeline.width);

	return { x, w: Math.max(end - x, 1), h: HEIGHTS[s.time] || WAIT_HEIGHT };
}

function draw_span(ctx, s, y) {
	const { x, w, h } = place_span(s), bottom = y + 18;

	if (s.time === 'short_waits') {
		draw_joined(ctx, s, x, w, y);
		return;
	}
	ctx.fillStyle = style[s.time];
	ctx.fillRect(x, bottom - h, w, h);
	if (s.time === 'unknown' && w > 3)
		hatch(ctx, x, bottom - h, w, h, 5);
}

// Draws a frame around an interval.
function draw_frame(ctx, s) {
	const row = s && timeline.row_of.get(s.lane.index);

	if (!row || s.to < timeline.from || s.from > timeline.to)
		return;
	const { x, w, h } = place_span(s), y = row.top + 4;
	draw_span(ctx, s, y);
	ctx.strokeStyle = style.text;
	ctx.lineWidth = 2;
	ctx.strokeRect(x + 1, y + 18 - h + 1, Math.max(w - 2, 1), h - 2);
	ctx.lineWidth = 1;
}

function draw_row(ctx, row) {
	const lane = row.lane, y = row.top + 4, pixel = (timeline.to - timeline.from) / (timeline.width - timeline.gutter);
	let drawn = -1;

	for (let i = span_after(lane, timeline.from); i < lane.spans.length && lane.spans[i].from < timeline.to; i++) {
		const s = lane.spans[i];

		// of several intervals in one pixel, the first is drawn
		if (s.to - s.from < pixel && Math.floor(timeline.x_of(s.from)) <= drawn)
			continue;
		draw_span(ctx, s, y);
		drawn = Math.floor(timeline.x_of(s.to));
	}
	ctx.strokeStyle = style.line;
	ctx.beginPath();
	ctx.moveTo(0, row.top + LANE_HEIGHT - 0.5);
	ctx.lineTo(timeline.width, row.top + LANE_HEIGHT - 0.5);
	ctx.stroke();
}

// The path is a line under the bars. Thin lines lead from lane to lane.
function draw_path(ctx) {
	const inside = t => Math.min(Math.max(timeline.x_of(t), timeline.gutter), timeline.width);
	const along = new Path2D(), across = new Path2D();
	let before = null;

	for (const p of path) {
		const row = p.lane === null ? null : timeline.row_of.get(p.lane);

		if (p.to < timeline.from || p.from > timeline.to || !row) {
			before = null;
			continue;
		}
		const x = inside(p.from), y = row.top + LANE_HEIGHT - 2.5;
		if (before !== null && before !== y) {
			across.moveTo(x, before);
			across.lineTo(x, y);
		}
		along.moveTo(x, y);
		along.lineTo(inside(p.to), y);
		before = y;
	}
	ctx.strokeStyle = style.path;
	ctx.lineWidth = 1.3;
	ctx.stroke(across);
	ctx.lineWidth = 3;
	ctx.stroke(along);
	ctx.lineWidth = 1;
}

// The time of a request or job that a link has shown.
function draw_marked(ctx) {
	const inside = t => Math.min(Math.max(timeline.x_of(t), timeline.gutter), timeline.width), m = timeline.marked;

	if (!m || m.to_ns < timeline.from || m.from_ns > timeline.to)
		return;
	const x = inside(m.from_ns), end = inside(m.to_ns);
	ctx.globalAlpha = 0.12;
	ctx.fillStyle = style.mark;
	ctx.fillRect(x, AXIS_HEIGHT - 6, Math.max(end - x, 2), timeline.height);
	ctx.globalAlpha = 1;
	ctx.fillRect(x, AXIS_HEIGHT - 6, Math.max(end - x, 2), 3);
}

// Lines at the begin and the end of the window of the diagnosis: the timeline shows a little more.
function draw_window(ctx) {
	const w = doc.diagnosis.window;

	ctx.strokeStyle = style.mark;
	ctx.setLineDash([2, 3]);
	ctx.beginPath();
	for (const t of [w.from_ns - base, w.to_ns - base])
		if (t > timeline.from && t < timeline.to) {
			ctx.moveTo(timeline.x_of(t), AXIS_HEIGHT - 6);
			ctx.lineTo(timeline.x_of(t), timeline.height);
		}
	ctx.stroke();
	ctx.setLineDash([]);
}

// Arrows that can be seen now, the most important first, with their two ends.
function place_arrows() {
	const list = [], pixel = (timeline.to - timeline.from) / (timeline.width - timeline.gutter);

	for (const a of arrows) {
		const from = timeline.row_of.get(a.from.index), to = timeline.row_of.get(a.to.index);

		if (!from || !to || a.arrived < timeline.from || a.left > timeline.to)
			continue;
		if (a.link === undefined && a.span.to - a.span.from < pixel * ARROW_MIN_PX && a.span !== timeline.chosen)
			continue;
		list.push({ arrow: a, x1: timeline.x_of(a.left), x2: timeline.x_of(a.arrived), y1: from.top + 13, y2: to.top + 13 });
		if (list.length === ARROWS_DRAWN)
			break;
	}
	return list;
}

function draw_arrow(ctx, p) {
	const a = p.arrow, strong = a.kept || (a.span && a.span === timeline.chosen) || (timeline.hovered && timeline.hovered.arrow === a);
	const inside = x => Math.min(Math.max(x, timeline.gutter + 2), timeline.width - 6);
	const x1 = inside(p.x1), x2 = inside(p.x2), down = p.y2 > p.y1, y2 = p.y2 + (down ? -7 : 7);

	ctx.strokeStyle = ctx.fillStyle = strong ? style.text : style.soft;
	ctx.globalAlpha = strong ? 1 : 0.6;
	ctx.lineWidth = strong ? 1.7 : 1;
	ctx.setLineDash(a.certain ? [] : [5, 4]);
	ctx.beginPath();
	ctx.moveTo(x1, p.y1);
	ctx.lineTo(x2, y2);
	ctx.stroke();
	ctx.setLineDash([]);
	ctx.beginPath();
	ctx.moveTo(x2, y2 + (down ? 3 : -3));
	ctx.lineTo(x2 - 4, y2 + (down ? -5 : 5));
	ctx.lineTo(x2 + 4, y2 + (down ? -5 : 5));
	ctx.fill();
	ctx.globalAlpha = 1;
	ctx.lineWidth = 1;
	Object.assign(p, { ax: x1, bx: x2, by: y2 });
}

timeline.arrow_at = (x, y) => {
	const near = p => {
		const dx = p.bx - p.ax, dy = p.by - p.y1, along = ((x - p.ax) * dx + (y - p.y1) * dy) / (dx * dx + dy * dy || 1);

		return along >= 0.02 && along <= 1 ? Math.hypot(x - p.ax - along * dx, y - p.y1 - along * dy) : Infinity;
	};
	const best = (timeline.placed || []).map(p => [near(p), p.arrow]).sort((a, b) => a[0] - b[0])[0];

	return best && best[0] <= ARROW_REACH ? best[1] : null;
};

// Makes the rows that a search does not find paler.
function draw_found(ctx) {
	ctx.globalAlpha = 0.7;
	ctx.fillStyle = style.back;
	timeline.rows.filter(r => timeline.query && !timeline.matches(r.lane)).forEach(r =>
		ctx.fillRect(timeline.gutter, r.y, timeline.width - timeline.gutter, r.top - r.y + LANE_HEIGHT - 1));
	ctx.globalAlpha = 1;
}

// All that does not depend on the search, on the choice and on the pointer. A picture of many lanes takes some 10 ms.
function draw_picture(ctx) {
	ctx.fillStyle = style.back;
	ctx.fillRect(0, 0, timeline.width, timeline.height);
	draw_axis(ctx);
	timeline.rows.forEach(row => draw_row(ctx, row));
	draw_missing(ctx);
	draw_path(ctx);
	draw_marked(ctx);
	draw_window(ctx);
}

function draw_choice(ctx) {
	draw_found(ctx);
	draw_frame(ctx, timeline.hovered && timeline.hovered.span);
	draw_frame(ctx, timeline.chosen);
	timeline.placed = place_arrows();
	timeline.placed.forEach(p => draw_arrow(ctx, p));
	if (timeline.gutter) {
		ctx.fillStyle = style.card;
		ctx.fillRect(0, 0, timeline.gutter - 1, timeline.height);
		ctx.fillStyle = style.line;
		ctx.fillRect(timeline.gutter - 1, 0, 1, timeline.height);
	}
}

const picture = document.createElement('canvas');

function fit_canvas(canvas, ratio) {
	const width = Math.round(timeline.width * ratio), height = Math.round(timeline.height * ratio);

	if (canvas.width !== width || canvas.height !== height) {
		canvas.width = width;
		canvas.height = height;
		canvas.style.height = timeline.height + 'px';
	}
}

// Draws at once. Usually, redraw() is enough.
timeline.draw = () => {
	const ratio = window.devicePixelRatio || 1, ctx = picture.getContext('2d');

	timeline.width = timeline.box.clientWidth;
	fit_canvas(timeline.canvas, ratio);
	fit_canvas(picture, ratio);
	style.read();
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	draw_picture(ctx);
	timeline.draw_choice();
};

// Another interval or arrow is chosen or pointed at; the rest of the picture stays.
timeline.draw_choice = () => {
	const canvas = timeline.canvas, ctx = canvas.getContext('2d'), ratio = canvas.width / timeline.width;

	timeline.wanted = NOTHING;
	ctx.setTransform(1, 0, 0, 1, 0, 0);
	ctx.drawImage(picture, 0, 0);
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	draw_choice(ctx);
};

// Draws before the browser shows its next frame. So several inputs between two frames cost one picture.
timeline.redraw = what => {
	if (timeline.wanted === NOTHING)
		requestAnimationFrame(() => (timeline.wanted === PICTURE ? timeline.draw() : timeline.wanted === CHOICE && timeline.draw_choice()));
	timeline.wanted = Math.max(timeline.wanted, what);
};

function show_legend() {
	const legend = document.getElementById('legend'), used = new Set();

	legend.textContent = '';
	timeline.rows.forEach(r => r.lane.times.forEach(t => (t === 'short_waits' ? [t, 'running', 'runnable', 'timer'] : [t]).forEach(k => used.add(k))));
	Object.keys(TIMES).filter(k => used.has(k)).forEach(k => {
		const row = element(legend, 'li');

		element(row, 'i', null, 'c-' + k);
		element(row, 'span', TIMES[k]);
	});
	const line = (cls, text) => {
		const row = element(legend, 'li');

		element(row, 'i', null, cls);
		element(row, 'span', text);
	};
	line('windowline', 'begin and end of the window');
	line('pathline', 'critical path');
	line('arrowline', 'arrow to a waiting task: certain');
	line('arrowline weak', 'inferred');
	if (doc.gaps.length || doc.lacking.some(g => g.coarse))
		line('c-gap', 'records are missing');
}

show_report();
start_timeline();
// For tests, and for people who look with the console of the browser.
window.ctrace_view = { doc, lanes, path, arrows, timeline };
