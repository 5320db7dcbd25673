// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the timeline, and what a person does with it. draw.js draws it.

const LANE_HEIGHT = 26, GROUP_HEIGHT = 20, AXIS_HEIGHT = 26, NARROW = 640, FINEST_VIEW_NS = 1000;
// What timeline.redraw() draws: only the marks of the search and the choice, or all.
const NOTHING = 0, CHOICE = 1, PICTURE = 2;

const timeline = {
	box: document.getElementById('timeline'),
	canvas: document.getElementById('canvas'),
	from: 0,
	to: span_ns,
	all: false, // true: all tasks have lanes, not only those for which is_first() or matches() returns true
	rows: [],
	query: '',
	found: new Set(), // the lanes that the search finds
	chosen: null, // an interval
	lane: null, // the lane of the chosen interval, or the lane that a link shows
	opened: new Set(), // lanes that a link has shown
	marked: null, // the time of a request or job
	hovered: null,
	pointers: new Map(),
	wanted: NOTHING, // what the next frame draws
};

// Returns true for the tasks that the page shows in the beginning: those of the chain, and those that are on the path
// for at least 1/1000 of the time of the picture.
timeline.is_first = lane => lane.why === 'chain' || (lane.why === 'path' && lane.path_ns * 1000 >= span_ns);

timeline.matches = lane => timeline.found.has(lane);

timeline.shown = () => timeline.order.filter(l => timeline.all || timeline.is_first(l) || timeline.matches(l) || timeline.opened.has(l.index));

// The chain comes first. Then come other tasks, in the order in which the path reaches them.
timeline.order = (() => {
	const rank = { chain: 0, path: 1, near: 2 }, reached = new Map();

	path.forEach(p => reached.has(p.lane) || reached.set(p.lane, p.from));
	const when = lane => lane.why === 'path' ? reached.get(lane.index) || 0 : lane.index;
	return lanes.slice().sort((a, b) => rank[a.why] - rank[b.why] || when(a) - when(b));
})();

// Returns a map from each key to its lanes, in the order of the first lane of each key.
function grouped(list, key_of) {
	const groups = new Map();

	list.forEach(l => groups.set(key_of(l), (groups.get(key_of(l)) || []).concat(l)));
	return groups;
}

// Rows are grouped by container, and then by process. A head says which container or process begins.
timeline.arrange = () => {
	const shown = timeline.shown(), containers = grouped(shown, l => l.container || '');
	const narrow = timeline.box.clientWidth < NARROW;
	let y = AXIS_HEIGHT;

	timeline.rows = [];
	timeline.heads = [];
	timeline.gutter = narrow ? 0 : Math.min(230, Math.floor(timeline.box.clientWidth / 4));
	timeline.above = narrow ? 16 : 0;
	const add_head = text => {
		timeline.heads.push({ y, text });
		y += GROUP_HEIGHT;
	};
	containers.forEach((inside, container) => {
		if (container || containers.size > 1)
			add_head(container ? ['container ', { name: container }] : 'in no container');
		grouped(inside, l => l.pid).forEach((members, pid) => {
			if (members.length > 1)
				add_head(['process ' + pid + ' (', { name: members[0].process }, ')']);
			members.forEach(lane => {
				timeline.rows.push({ lane, y, top: y + timeline.above, inside: members.length > 1 });
				y += LANE_HEIGHT + timeline.above;
			});
		});
	});
	timeline.height = y + 8;
	timeline.row_of = new Map(timeline.rows.map(r => [r.lane.index, r]));
	timeline.label();
	show_legend();
	timeline.redraw(PICTURE);
	const hidden = lanes.length - shown.length, button = document.getElementById('more');
	button.hidden = !hidden && !timeline.all;
	button.textContent = timeline.all ? 'Show fewer tasks' : 'Show ' + hidden + ' more task' + (hidden === 1 ? '' : 's');
};

timeline.label = () => {
	const box = document.getElementById('labels');

	box.textContent = '';
	box.className = timeline.gutter ? '' : 'above';
	const add = (y, text, cls) => {
		const e = element(box, 'div', text, cls);

		e.style.top = y + 'px';
		e.style.maxWidth = (timeline.gutter ? timeline.gutter - 14 : timeline.box.clientWidth - 16) + 'px';
		return e;
	};
	timeline.heads.forEach(h => add(h.y + 3, h.text, 'group'));
	timeline.rows.forEach(row => {
		const { lane, y, inside } = row, i = doc.story.findIndex(s => s.lane === lane.index);

		row.label = add(y + (timeline.above ? 0 : 5), (i >= 0 ? i + 1 + '. ' : '') + task_name(lane),
			'lane' + (inside ? ' in' : '') + (i === 0 ? ' victim' : doc.story[i] && doc.story[i].root ? ' rootcause' : ''));
	});
	timeline.mark_found();
	timeline.mark_label();
};

timeline.mark_found = () => timeline.rows.forEach(r => {
	const match = timeline.matches(r.lane);

	r.label.classList.toggle('match', match);
	r.label.classList.toggle('dim', timeline.query !== '' && !match);
});

timeline.x_of = t => timeline.gutter + (t - timeline.from) / (timeline.to - timeline.from) * (timeline.width - timeline.gutter);
timeline.t_of = x => timeline.from + (x - timeline.gutter) / (timeline.width - timeline.gutter) * (timeline.to - timeline.from);

timeline.set = (from, to) => {
	const length = Math.min(Math.max(to - from, FINEST_VIEW_NS), span_ns);

	from = Math.min(Math.max(from, 0), span_ns - length);
	timeline.from = from;
	timeline.to = from + length;
	timeline.redraw(PICTURE);
};

// factor > 1: zooms out. The time `at` stays where it is.
timeline.zoom = (factor, at) => {
	const t = at === undefined ? (timeline.from + timeline.to) / 2 : at;

	timeline.set(t - (t - timeline.from) * factor, t + (timeline.to - t) * factor);
};

timeline.move = share => {
	const ns = (timeline.to - timeline.from) * share;

	timeline.set(timeline.from + ns, timeline.to + ns);
};

timeline.show_range = (lane, from, to) => {
	const margin = (to - from) / 10, row = timeline.row_of.get(lane);

	timeline.marked = null;
	timeline.set(from - margin, to + margin);
	timeline.box.scrollIntoView({ block: 'nearest' });
	if (row) {
		const i = span_after(row.lane, (from + to) / 2);

		timeline.choose(row.lane.spans[i] || null);
	}
	timeline.box.focus({ preventScroll: true });
};

// Marks the time of a request or job, and shows it with these lanes.
timeline.show_marked = (range, shown) => {
	const margin = (range.to_ns - range.from_ns) / 10;

	timeline.marked = range;
	shown.forEach(i => timeline.opened.add(i));
	timeline.arrange();
	timeline.choose(null);
	timeline.select(shown.length ? lanes[shown[0]] : null);
	timeline.set(range.from_ns - margin, Math.min(range.to_ns, span_ns) + margin);
	timeline.draw(); // now the box has its new height
	timeline.box.scrollIntoView({ block: 'nearest' });
	timeline.box.focus({ preventScroll: true });
};

timeline.mark_label = () => timeline.rows.forEach(r => {
	r.label.classList.toggle('current', r.lane === timeline.lane);
	if (r.lane === timeline.lane)
		r.label.setAttribute('aria-current', 'true');
	else
		r.label.removeAttribute('aria-current');
});

// The links below the timeline lead to the requests and jobs of this lane.
timeline.select = lane => {
	const links = document.getElementById('lane-rows');

	timeline.lane = lane;
	timeline.mark_label();
	links.textContent = '';
	links.hidden = !lane || !rows_of(lane.index).length;
	if (links.hidden)
		return;
	element(links, 'span', [task_name(lane) + ' '], 'soft');
	add_row_buttons(links, lane.index);
};

function put_lines(parent, lines) {
	parent.textContent = '';
	lines.forEach((line, i) => element(parent, 'p', line, i ? '' : 'who'));
}

// The lane of the task to blame for a wait, or null.
function blamed_lane(span) {
	return span && span.wait && span.reason.lane !== null ? lanes[span.reason.lane] : null;
}

timeline.choose = span => {
	const blamed = blamed_lane(span), button = document.getElementById('blamed');

	timeline.chosen = span;
	timeline.select(span ? span.lane : null);
	button.hidden = !blamed;
	if (blamed)
		fill(button, 'Go to the task to blame for this wait: ' + task_name(blamed) + ' (W)');
	if (span)
		put_lines(document.getElementById('chosen'), span_lines(span));
	timeline.redraw(CHOICE);
};

// Returns the lines about the thing at a point: an arrow, an interval, or a time with missing records.
timeline.look = (x, y) => {
	const arrow = timeline.arrow_at(x, y), row = timeline.rows.find(r => y >= r.y && y < r.top + LANE_HEIGHT);
	const t = timeline.t_of(x);

	if (arrow)
		return { lines: arrow_lines(arrow), span: arrow.span, arrow };
	if (x < timeline.gutter || t < 0 || t >= span_ns)
		return row ? { lines: lane_lines(row.lane), span: null, lane: row.lane } : null;
	if (!row) {
		const gap = doc.gaps.concat(doc.lacking).find(g => t >= g.from_ns && t < g.to_ns);

		return gap && y < AXIS_HEIGHT + 6 ? { lines: gap_lines(gap), span: null } : null;
	}
	const slack = (timeline.to - timeline.from) / timeline.width;
	const i = span_after(row.lane, t - slack), s = row.lane.spans[i];
	return s && s.from <= t + slack ? { lines: span_lines(s), span: s } : null;
};

function lane_lines(lane) {
	return [task_long(lane), ['process ' + lane.pid + ', ' + lane.intervals + ' intervals'].concat(lane.container ? [', container ', { name: lane.container }] : [])]
		.concat(rows_of(lane.index).map(r => [r.table.noun + 's: ', { name: r.table.name(r.row) }, ' (' + part_text(r.table, r.task) + ')']));
}

function gap_lines(g) {
	if (g.text)
		return ['Left out', g.text];
	return ['Records are missing (' + g.cause + ')', (g.records ? g.records + ' records, ' : '') +
		(g.cpu === null ? 'all CPUs' : 'CPU ' + g.cpu) + ', ' + duration(g.to_ns - g.from_ns)];
}

timeline.hover = (x, y) => {
	const found = timeline.look(x, y), tip = document.getElementById('tip'), before = timeline.hovered;
	const same = before && found ? before.span === found.span && before.arrow === found.arrow : !before && !found;

	timeline.hovered = found;
	tip.hidden = !found;
	if (found) {
		put_lines(tip, found.lines);
		tip.style.left = Math.max(4, Math.min(x + 14, timeline.width - tip.offsetWidth - 6)) + 'px';
		tip.style.top = (y + 18 + tip.offsetHeight > timeline.height ? Math.max(2, y - tip.offsetHeight - 10) : y + 18) + 'px';
	}
	if (!same)
		timeline.redraw(CHOICE);
};

timeline.step = by => {
	const lane = timeline.lane || timeline.rows[0].lane;
	const i = timeline.chosen ? lane.spans.indexOf(timeline.chosen) + by : span_after(lane, timeline.from);
	const s = lane.spans[i];

	if (!s)
		return;
	timeline.choose(s);
	if (s.to < timeline.from || s.from > timeline.to)
		timeline.set(s.from - (timeline.to - timeline.from) / 2, s.from + (timeline.to - timeline.from) / 2);
};

timeline.change_row = by => {
	const rows = timeline.rows.filter(r => r.lane.spans.length);
	const at = rows.findIndex(r => r.lane === timeline.lane);
	const row = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
	const t = timeline.chosen ? Math.max(timeline.chosen.from, timeline.from) : timeline.from;

	if (row)
		timeline.choose(row.lane.spans[Math.min(span_after(row.lane, t), row.lane.spans.length - 1)]);
};

// Chooses what the task to blame for the chosen wait did when it ended this wait, or could have ended it.
timeline.go_to_blamed = () => {
	const s = timeline.chosen, lane = blamed_lane(s);

	if (!lane || !lane.spans.length)
		return;
	const at = s.to - s.back;
	if (!timeline.row_of.has(lane.index)) {
		timeline.opened.add(lane.index);
		timeline.arrange();
	}
	timeline.choose(lane.spans[Math.min(span_after(lane, at - 1), lane.spans.length - 1)]);
	timeline.show_moment(at);
};

// Moves the timeline if it does not show this moment.
timeline.show_moment = at => {
	const half = (timeline.to - timeline.from) / 2;

	if (at < timeline.from || at > timeline.to)
		timeline.set(at - half, at + half);
};

timeline.zoom_to_chosen = () => {
	const s = timeline.chosen;

	if (s)
		timeline.set(s.from - (s.to - s.from) * 0.25, s.to + (s.to - s.from) * 0.25);
};

const HINTS = document.querySelectorAll('#chosen .hint');

const KEYS = {
	'+': () => timeline.zoom(0.6),
	'=': () => timeline.zoom(0.6),
	'-': () => timeline.zoom(1 / 0.6),
	'0': () => timeline.set(0, span_ns),
	Home: () => timeline.set(0, span_ns),
	ArrowLeft: () => timeline.move(-0.2),
	ArrowRight: () => timeline.move(0.2),
	ArrowUp: () => timeline.change_row(-1),
	ArrowDown: () => timeline.change_row(1),
	n: () => timeline.step(1),
	p: () => timeline.step(-1),
	Enter: timeline.zoom_to_chosen,
	w: timeline.go_to_blamed,
	r: () => {
		const link = document.querySelector('#lane-rows button');

		if (link)
			link.focus();
	},
	Escape: () => {
		timeline.marked = null;
		timeline.choose(null);
		timeline.redraw(PICTURE);
		document.getElementById('chosen').replaceChildren(...HINTS);
	},
};

function place(event) {
	const box = timeline.canvas.getBoundingClientRect();

	return [event.clientX - box.left, event.clientY - box.top];
}

function on_wheel(event) {
	const [x] = place(event), whole = timeline.to - timeline.from >= span_ns;

	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		timeline.move((event.deltaX || event.deltaY) / timeline.width);
	} else {
		if (whole && event.deltaY > 0)
			return; // nothing left to zoom out: the page scrolls
		timeline.zoom(Math.pow(1.0015, event.deltaY), timeline.t_of(Math.max(x, timeline.gutter)));
	}
	event.preventDefault();
}

function on_move(event) {
	const before = timeline.pointers.get(event.pointerId), [x, y] = place(event);

	if (!before) {
		timeline.hover(x, y);
		return;
	}
	const others = Array.from(timeline.pointers).filter(([id]) => id !== event.pointerId);
	if (others.length) {
		const other = others[0][1][0], apart = Math.abs(before[0] - other), now = Math.abs(x - other);

		if (apart > 8 && now > 8)
			timeline.zoom(apart / now, timeline.t_of((x + other) / 2));
	} else {
		timeline.move((before[0] - x) / (timeline.width - timeline.gutter));
	}
	timeline.moved += Math.abs(x - before[0]);
	timeline.pointers.set(event.pointerId, [x, y]);
}

function on_up(event) {
	const [x, y] = place(event);

	if (timeline.pointers.delete(event.pointerId) && timeline.moved < 4) {
		const found = timeline.look(x, y);

		timeline.choose(found ? found.span : null);
		if (found && found.lane)
			timeline.select(found.lane);
		if (found)
			put_lines(document.getElementById('chosen'), found.lines);
	}
}

// If the page names a task that the search fits, but that has no lane: says why the search does not find it.
function without_lane() {
	timeline.names = timeline.names || Array.from(document.querySelectorAll('header .name, main .name'), e => e.textContent).filter(x => /\[\d+[^\]]*\]$/.test(x));
	const name = timeline.names.find(x => x.toLowerCase().includes(timeline.query));

	return name ? [': ', { name }, ' is named on this page, but has no lane. Only tasks of the chain and of the critical path, and tasks that woke them or were woken by them, have lanes.'] : [];
}

// Most letters of a search only mark other rows. Then the lanes are not drawn again.
function on_search(event) {
	timeline.query = event.target.value.trim().toLowerCase();
	timeline.found = new Set(timeline.query ? lanes.filter(l => l.text.includes(timeline.query)) : []);
	const shown = timeline.shown(), n = timeline.found.size;
	if (shown.length === timeline.rows.length && shown.every(l => timeline.row_of.has(l.index))) {
		timeline.mark_found();
		timeline.redraw(CHOICE);
	} else {
		timeline.arrange();
	}
	put('found', timeline.query ? [n + ' task' + (n === 1 ? '' : 's') + ' found'].concat(n ? [] : without_lane()) : '');
}

const closed_before_print = [];

// On paper, nobody can open a list, and the sheet is narrower than the screen. The canvas keeps its colours of the
// screen, so it is drawn again, with light ones.
function begin_print() {
	document.documentElement.classList.add('printing');
	document.querySelectorAll('details:not([open])').forEach(d => {
		d.open = true;
		closed_before_print.push(d);
	});
	timeline.arrange();
	timeline.draw();
}

function end_print() {
	document.documentElement.classList.remove('printing');
	closed_before_print.splice(0).forEach(d => { d.open = false; });
	timeline.arrange();
	timeline.draw();
}

function start_timeline() {
	const on = (id, what) => document.getElementById(id).addEventListener('click', what);

	on('zoom-in', () => timeline.zoom(0.6));
	on('zoom-out', () => timeline.zoom(1 / 0.6));
	on('fit', () => timeline.set(0, span_ns));
	on('more', () => {
		timeline.all = !timeline.all;
		if (!timeline.all)
			timeline.opened.clear();
		timeline.arrange();
	});
	on('blamed', timeline.go_to_blamed);
	document.getElementById('search').addEventListener('input', on_search);
	timeline.canvas.addEventListener('wheel', on_wheel, { passive: false });
	timeline.canvas.addEventListener('pointerdown', event => {
		timeline.moved = 0;
		timeline.pointers.set(event.pointerId, place(event));
		timeline.canvas.setPointerCapture(event.pointerId);
	});
	timeline.canvas.addEventListener('pointermove', on_move);
	timeline.canvas.addEventListener('pointerup', on_up);
	timeline.canvas.addEventListener('pointercancel', event => timeline.pointers.delete(event.pointerId));
	timeline.canvas.addEventListener('pointerleave', () => timeline.hover(-1, -1));
	timeline.canvas.addEventListener('dblclick', timeline.zoom_to_chosen);
	timeline.box.addEventListener('keydown', event => {
		const act = KEYS[event.key] || KEYS[event.key.toLowerCase()];

		if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
			act();
			event.preventDefault();
		}
	});
	window.addEventListener('resize', timeline.arrange);
	window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => timeline.redraw(PICTURE));
	window.addEventListener('beforeprint', begin_print);
	window.addEventListener('afterprint', end_print);
	timeline.arrange();
	timeline.draw();
}
