// SPDX-License-Identifier: GPL-2.0-or-later
// The data of the page, decoded, and words for times. All files *.js share one function scope.

const doc = JSON.parse(document.getElementById('data').textContent);
const span_ns = doc.window.to_ns - doc.window.from_ns;
const base = doc.window.from_ns;

const TIMES = {
	running: 'runs',
	runnable: 'waits for a CPU',
	lock: 'waits for a lock',
	ipc: 'waits for another task',
	network: 'waits for the network',
	disk: 'waits for the disk',
	fault: 'waits for memory',
	timer: 'sleeps, or waits for a timer or its own time limit',
	queue: 'waits for a wake-up',
	stopped: 'is stopped',
	unknown: 'state not known',
	short_waits: 'many short runs and waits',
};

const JOINED = -1;

const reasons = doc.reasons.map(r => r.stopped ? Object.assign({}, r, { time: 'stopped' }) : r);

// The same digits as in the text of `ctrace diagnose`.
function duration(ns) {
	const units = [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]];

	if (ns >= 3600e9)
		return Math.floor(ns / 3600e9) + ' h ' + Math.floor(ns % 3600e9 / 60e9) + ' min';
	if (ns >= 60e9)
		return Math.floor(ns / 60e9) + ' min ' + Math.floor(ns % 60e9 / 1e9) + ' s';
	for (const [unit, size] of units)
		if (ns >= size)
			return String(Number((ns / size).toPrecision(4))) + ' ' + unit;
	return '0 s';
}

function percent(part, whole) {
	const p = whole ? 100 * part / whole : 0;

	return (p >= 10 || p === 0 ? p.toFixed(0) : p >= 1 ? p.toFixed(1) : '<1') + ' %';
}

// The page shows times in the time zone of the machine that made the page, not in that of the browser.
// So doc.begin is a text of that local time, and is not decoded with Date.
const begin = /(\d+):(\d+):(\d+)\.(\d{9})/.exec(doc.begin);
const begin_ns = (begin[1] * 3600 + begin[2] * 60 + +begin[3]) * 1e9 + +begin[4];

function wall(t, digits) {
	// t may be before the picture, on the day before
	const ns = ((begin_ns + Math.round(t)) % 86400e9 + 86400e9) % 86400e9;
	const two = x => String(Math.floor(x)).padStart(2, '0');
	const fraction = String(Math.floor(ns % 1e9)).padStart(9, '0').slice(0, digits);

	return two(ns / 3600e9) + ':' + two(ns / 60e9 % 60) + ':' + two(ns / 1e9 % 60) + (digits ? '.' + fraction : '');
}

// Returns the local time ns after `text`, which is a local time itself. With the date, if this is another one than
// that of doc.begin.
function local_time(text, ns) {
	const at = /(\d+)-(\d+)-(\d+) (\d+):(\d+):(\d+)\.(\d{3})/.exec(text).slice(1).map(Number);
	const then = new Date(Date.UTC(at[0], at[1] - 1, at[2], at[3], at[4], at[5], at[6]) + Math.round(ns / 1e6))
		.toISOString().replace('T', ' ').replace('Z', '');

	return then.slice(0, 10) === doc.begin.slice(0, 10) ? then.slice(11) : then;
}

function task_name(x) {
	return x.comm + '[' + x.tid + ']';
}

function decode_span(lane, raw, from) {
	const to = from + raw[1], reason = reasons[raw[2]];

	if (raw[2] === JOINED)
		return { lane, from, to, time: 'short_waits', ran: raw[3], queued: raw[4], n: raw[5] };
	return { lane, from, to, time: reason.time, reason, n: 1, wait: raw.length > 3, back: raw[3] || 0, kept: raw[4] === 1 };
}

// A lane is found by each part of this text.
function search_text(lane) {
	return [task_name(lane), lane.comm, lane.process, lane.tid, lane.pid, lane.cmdline || ''].join(' ').toLowerCase();
}

function decode_lane(raw, index) {
	const lane = Object.assign({}, raw, { index, spans: [], text: search_text(raw) });
	let at = 0;

	for (const x of raw.spans) {
		const s = decode_span(lane, x, at + x[0]);

		at = s.to;
		lane.spans.push(s);
	}
	lane.times = new Set(lane.spans.map(s => s.time));
	if (lane.spans.length) {
		lane.spans[0].before = raw.beyond_ns[0];
		lane.spans[lane.spans.length - 1].after = raw.beyond_ns[1];
	}
	return lane;
}

function decode_path() {
	let at = doc.path.from_ns;

	return doc.path.pieces.map(([ns, lane, reason, n]) => {
		const piece = { from: at, to: at + ns, lane, n, reason: reasons[reason] };

		at += ns;
		return piece;
	});
}

const lanes = doc.lanes.map(decode_lane);
const path = decode_path();

// Each wait with a task to blame makes an arrow from that task to the waiting one.
function find_arrows() {
	const arrows = [];

	for (const lane of lanes)
		for (const s of lane.spans)
			if (s.wait && s.reason.lane !== null && s.reason.lane !== lane.index)
				arrows.push({ from: lanes[s.reason.lane], to: lane, left: s.to - s.back, arrived: s.to,
					certain: s.reason.certain, edge: s.reason.edge, limit: s.reason.limit === true, span: s, kept: s.kept });
	return arrows.sort((a, b) => b.kept - a.kept || (b.span.to - b.span.from) - (a.span.to - a.span.from));
}

// Each link of the chain waits for the next link. Marks one arrow from the next link to this link: the arrow of
// the longest wait. A marked arrow is drawn even if it is short. Some links have no wait with an arrow: for
// example, a task sleeps again and again until its child ends, or a task waits for a CPU. For such a link, adds
// an arrow at its end.
function mark_links(arrows) {
	doc.story.slice(0, -1).forEach((more, i) => {
		const to = lanes[more.lane], from = lanes[doc.story[i + 1].lane];
		const ends = [to, from].filter(l => l.spans.length).map(l => l.spans[l.spans.length - 1].to);
		const end = Math.min(doc.diagnosis.chain[i].to_ns - base, ...ends);
		// A certain link may have waits that a time limit ended: each of them alone shows nothing.
		const mine = arrows.filter(a => a.kept && a.to === to && a.from === from);
		let arrow = mine.find(a => a.certain === more.certain && !a.limit) || mine.find(a => a.certain === more.certain) || mine[0];

		if (!arrow) {
			arrow = { from, to, left: end, arrived: end, kept: true, span: null };
			arrows.push(arrow);
		}
		arrow.link = i;
		arrow.certain = more.certain;
	});
	// The end of a wait by its own time limit is no act of the other task, so it has no arrow, but the link has one.
	return arrows.filter(a => !a.limit || a.link !== undefined).sort((a, b) => (b.link !== undefined) - (a.link !== undefined));
}

const arrows = mark_links(find_arrows());

// Returns the index of the first span that ends after t.
function span_after(lane, t) {
	let low = 0, high = lane.spans.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (lane.spans[middle].to > t)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// Of a wait of the chain, only a part may count there: the window, or the wait of the task before it in the chain, cuts the
// rest. Of another interval, the window may cut a part.
function counted(s, ns) {
	const i = s.kept ? doc.story.findIndex(x => x.lane === s.lane.index) : -1, range = i < 0 ? doc.diagnosis.window : doc.diagnosis.chain[i];
	const part = Math.min(s.to, range.to_ns - base) - Math.max(s.from, range.from_ns - base);

	return part <= 0 || duration(part) === duration(ns) ? '' : ' ' + duration(part) + (i < 0 ? ' of it in the window.' : ' of it count in the chain.');
}

// The lines of text about a span; the first one names the task.
function span_lines(s) {
	const ns = s.to - s.from + (s.before || 0) + (s.after || 0);
	const lines = [task_name(s.lane)];

	if (s.reason) {
		lines.push(s.reason.text);
		lines.push('for ' + duration(ns) + ', from ' + wall(s.from - (s.before || 0), 6) + (ns > s.to - s.from ? '. The timeline shows ' + duration(s.to - s.from) + ' of it.' : '.') + counted(s, ns));
		if (s.reason.by)
			lines.push(s.reason.by);
		return lines;
	}
	lines.push(s.n > 1 ? s.n + ' runs and waits, each shorter than ' + duration(s.lane.finest_ns) :
		'Runs and waits shorter than 8 ms; only their sums were recorded');
	lines.push('in ' + duration(s.to - s.from) + ', from ' + wall(s.from, 6));
	lines.push('It ran for ' + duration(s.ran) + ', and waited for a CPU for ' + duration(s.queued) + '.');
	return lines;
}

// Records may show the link for some of its waits only.
function certainty(more) {
	return !more.certain ? 'inferred' : more.sure_waits && more.sure_waits < more.waits ?
		'certain for ' + more.sure_waits + ' of ' + more.waits + ' waits' : 'certain';
}

function arrow_lines(a) {
	const more = doc.story[a.link];
	const lines = [task_name(a.from) + ' \u2192 ' + task_name(a.to), more ? certainty(more) : a.certain ? 'certain' : 'inferred'];

	if (more)
		lines.push('link ' + (a.link + 1) + ' of the chain: ' + more.text + more.notes);
	if (a.span)
		lines.push(a.span.reason.text + ' for ' + duration(a.span.to - a.span.from + (a.span.before || 0)), a.span.reason.by);
	return lines;
}

// Names may have any characters. Those that are invisible, or that reorder or break the text, become escapes.
const HIDDEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
	'\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb' +
	'\\ud800-\\udfff\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]', 'gu');

// Writes them as clean_char() of lib/clean.c does, so that a name looks the same everywhere on the page.
function clean(text) {
	const shown = code => code < 0x80 ? ['x', 2] : code > 0xffff ? ['U', 8] : ['u', 4];

	return String(text).replace(HIDDEN, c => {
		const [letter, digits] = shown(c.codePointAt(0));

		return '\\' + letter + c.codePointAt(0).toString(16).padStart(digits, '0');
	});
}

// A source of a regular expression that matches one of these texts.
function any_of(texts) {
	return Array.from(texts).filter(x => x).map(x => clean(x).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).sort((a, b) => b.length - a.length).join('|') || '(?!)';
}

// A browser may not know all of the syntax. Then the regular expression matches nothing.
function pattern(source) {
	try {
		return new RegExp(source, 'gu');
	} catch (error) {
		return /(?!)/gu;
	}
}

// The names of tasks, such as main[12]. A name may look like a word of the sentence around it. So names have a font of
// their own, as have functions, paths, addresses and other things like pipe:[12].
const NAMES = (() => {
	const h = doc.hangs, waiting = h.waiting.concat(...h.others.map(x => x.waiting)), tasks = doc.lanes.concat(doc.diagnosis.chain, waiting, h.others);
	// a path may have blanks and brackets
	const paths = new Set(doc.diagnosis.chain.map(x => x.resource.name).filter(x => x.includes('/')));
	const containers = new Set(tasks.filter(x => x.container).map(x => 'container ' + x.container));

	return pattern([
		'(?:' + any_of(new Set(tasks.map(x => x.comm + '[' + x.tid))) + '|[^\\s()[\\]",;]{1,99}\\[\\d+)(?:, a thread of \\d+)?\\]',
		any_of(paths),
		'(?<![\\w:~.])[\\w:~.]+\\(\\)',
		'(?<![^\\s(">])@?/[^\\s,;()"]*[^\\s,;()".:]',
		'0x[0-9a-f]{4,}',
		'\\d+(?:\\.\\d+){3}:\\d+(?:->\\d+(?:\\.\\d+){3}:\\d+)?',
	].concat(containers.size ? '(?:' + any_of(containers) + ')(?!\\S)' : []).join('|'));
})();

function add_name(e, text) {
	const span = document.createElement('span');

	span.className = 'name';
	// no line may end within an arrow
	text.split('->').forEach((part, i) => {
		if (i) {
			const arrow = document.createElement('span');

			arrow.className = 'whole';
			arrow.textContent = '->';
			span.append(arrow);
		}
		span.append(part);
	});
	e.append(span);
}

function add_prose(e, text) {
	let at = 0;

	for (const m of text.matchAll(NAMES)) {
		e.append(text.slice(at, m.index));
		add_name(e, m[0]);
		at = m.index + m[0].length;
	}
	e.append(text.slice(at));
}

// Sets the text of e. text: a string, or a list of strings and of names { name }.
function fill(e, text) {
	e.textContent = '';
	for (const part of Array.isArray(text) ? text : [text])
		if (part.name === undefined)
			add_prose(e, clean(part));
		else
			add_name(e, clean(part.name));
}

function element(parent, name, text, cls) {
	const e = document.createElement(name);

	if (text !== undefined && text !== null)
		fill(e, text);
	if (cls)
		e.className = cls;
	if (parent)
		parent.appendChild(e);
	return e;
}
