// SPDX-License-Identifier: GPL-2.0-or-later
// The texts of the page.

function put(id, text) {
	fill(document.getElementById(id), text);
}

const CMDLINE_SHOWN = 100;

function task_long(x) {
	const line = x.cmdline || '', cut = line.length > CMDLINE_SHOWN ? line.slice(0, CMDLINE_SHOWN) + '...' : line;

	return [task_name(x)].concat(line && line !== x.comm ? [' (', { name: cut }, ')'] : []);
}

function waited_for(link, more) {
	const kind = link.resource.kind, name = link.resource.name;

	return kind === 'timer' ? '' : kind === 'unknown' || kind === 'cpu' ? name : name.startsWith(kind) ? name : (more.thing + ' ' + name).trim();
}

const STATES = {
	running: 'runs',
	runnable: 'waits for a CPU',
	stopped: 'is stopped',
	unborn: 'did not exist',
	exited: 'has ended',
	unknown: 'state not known',
	folded: 'many short runs and waits',
};

// Says how long the task of a link ran, waited for a CPU, or was in other states: the longest first. If the link is a
// wait, these times are not parts of the wait. They come in addition to it.
function cpu_parts(more, other) {
	const parts = [[more.running_ns, 'runs'], [more.runnable_ns, 'waits for a CPU'], [other, 'other waits']];

	return parts.filter(([ns]) => ns > 0 && ns * 1000 >= more.total_ns).sort((a, b) => b[0] - a[0])
		.map(([ns, text]) => text + ' ' + duration(ns)).join(', ');
}

// Says when the first wait began, if this was before the time that counts: for the victim, the window; for the other
// tasks of the chain, the time in which the task before it in the chain depended on it.
function since(link, more, victim) {
	const at = local_time(doc.begin, link.from_ns - base - more.before_ns) + ' or earlier';

	return !more.before_ns ? '' : more.waits > 1 ? '; the first one began at ' + at :
		' and ' + duration(more.before_ns) + (victim ? ' before the window' : ' before the task above depended on it') + ', since ' + at;
}

function link_state(link, more) {
	const what = waited_for(link, more), victim = more === doc.story[0];
	const on_cpu = ['running', 'runnable', 'folded'].includes(link.state);

	if (on_cpu && more.total_ns) {
		const other = more.total_ns - more.running_ns - more.runnable_ns;

		return duration(more.total_ns) + ': ' + (cpu_parts(more, other) || STATES[link.state]);
	}
	const time = more.total_ns ? ' for ' + duration(more.total_ns) : '';
	const times = more.waits > 1 ? ' in ' + more.waits + ' waits (' + (!more.before_ns ? 'the longest: ' : victim ? 'the longest part in the window: ' : 'the longest part that counts here: ') + duration(more.longest_ns) + ')' : '';

	if (link.state === 'waiting' || link.state === 'sleeping')
		return (link.state === 'sleeping' ? 'sleeps' : link.resource.kind === 'timer' ? 'waits for a timer or its own time limit,' : 'waits') +
			time + times + since(link, more, victim) + (what ? ': ' + what : '');
	return (STATES[link.state] || link.state) + time + (what && link.resource.kind !== 'cpu' && !['unborn', 'stopped'].includes(link.state) ? ': ' + what : '');
}

// Returns true if the root cause is a task that is stopped or frozen.
function is_stopped() {
	return doc.diagnosis.cause === 'stopped' && doc.diagnosis.root_cause.state === 'stopped';
}

// Returns the link for which the task of link i waits. If the chain is a circle, the last link waits for the first link of
// the circle. undefined: the chain ends with link i.
function next_of(i) {
	const chain = doc.diagnosis.chain;

	return i + 1 < chain.length ? chain[i + 1] : doc.story[i].how === null ? undefined : chain[doc.story.findIndex(s => s.root)];
}

function show_sure() {
	const chain = doc.diagnosis.chain, certain = document.getElementById('certain'), inferred = document.getElementById('inferred');

	chain.forEach((link, i) => {
		const more = doc.story[i], next = next_of(i);

		if (next)
			element(more.certain ? certain : inferred, 'li', more.text + more.notes);
	});
	doc.doubts.forEach(text => element(inferred, 'li', 'Not certain: ' + text, 'doubt'));
	// What the victim itself did is certain, also if its link to the next task is not.
	if (!doc.story[0].certain)
		certain.prepend(element(null, 'li', doc.summary.victim + '.', 'fact'));
	if (is_stopped())
		element(certain, 'li', doc.diagnosis.root_cause.text + '.', 'fact');
	// Without inferred links and doubts, a line takes the place of the box.
	document.getElementById('sure').classList.toggle('all', !inferred.children.length);
	if (!inferred.children.length)
		element(inferred, 'li', chain.length > 1 ? 'No link of the chain is inferred.' : 'Nothing.');
}

function show_time() {
	const bar = document.getElementById('bar'), legend = document.getElementById('bar-legend');
	const all = doc.diagnosis.window.to_ns - doc.diagnosis.window.from_ns;
	const words = [];

	// The diagnosis counts a stop of the victim as time that is not known.
	const stopped = doc.diagnosis.chain[0].state === 'stopped' ? Math.min(doc.story[0].total_ns, doc.diagnosis.time.unknown_ns) : 0;
	const times = Object.assign({}, doc.diagnosis.time, { stopped_ns: stopped, unknown_ns: doc.diagnosis.time.unknown_ns - stopped });

	// the longest first
	const kinds = Object.keys(TIMES).map(kind => [kind, times[kind + '_ns'] || 0]).filter(([, ns]) => ns > all / 1000).sort((a, b) => b[1] - a[1]);

	for (const [kind, ns] of kinds) {
		element(bar, 'span', null, 'c-' + kind).style.width = 100 * ns / all + '%';
		const row = element(legend, 'li');
		element(row, 'i', null, 'c-' + kind);
		words.push(TIMES[kind] + ' ' + duration(ns) + ' (' + percent(ns, all) + ')');
		element(row, 'span', words[words.length - 1]);
	}
	bar.setAttribute('aria-label', words.join(', '));
}

const FRAMES_SHOWN = 4;

function folded(parent, title, frames, cls) {
	const details = element(parent, 'details');

	element(details, 'summary', title);
	const list = element(details, 'ul', null, 'stack');
	frames.forEach(f => element(list, 'li', f, cls));
}

// One stack stands for several waits, or for a time in which the task ran.
function stack_of(link, more) {
	if (['running', 'runnable', 'folded'].includes(link.state))
		return 'The stack that samples saw most often while the task ran:';
	return more.waits > 1 ? 'The stack of the longest of these waits that was inspected. It may be a wait for another thing of this kind.' : '';
}

// As frame_is_library() and frame_is_own_code() in trace/words/frame.h.
const is_kernel = f => f.startsWith('k:'), is_rest = f => f.startsWith('... (');
const is_library = f => /\((?:[^()]*\.so(?:\.[^()]*)?|\[vdso\])\)$/.test(f);
const is_own = f => !is_rest(f) && !/^(?:0x|(?:main|_start)(?:$|\+| ))/.test(f) && !is_library(f);

function show_stack(card, link, more) {
	const stack = link.stack, kernel = stack.filter(is_kernel), user = stack.filter(f => !is_kernel(f));
	const frames = count => count + ' frame' + (count === 1 ? '' : 's');
	const box = element(card, 'div', null, 'frames'), which = stack.length ? stack_of(link, more) : '', nameless = user.length > 1 && user.every(f => f === user[0]);
	// Without own code, the work of the program is in its libraries.
	const libraries = user.some(is_own) ? user.filter(is_library) : [], shown = user.filter(f => !libraries.includes(f));

	if (which)
		element(box, 'p', which, 'soft');
	if (!user.length || nameless)
		element(box, 'p', stack.length ? 'No stack with names of functions was recorded.' : 'No stack was recorded.', 'soft');
	if (nameless)
		folded(box, frames(user.length) + ' without a name', user);
	const list = element(box, 'ul', null, 'stack');
	if (!nameless)
		shown.slice(0, FRAMES_SHOWN).forEach(f => element(list, 'li', f));
	if (!nameless && shown.length > FRAMES_SHOWN)
		folded(box, frames(shown.length - FRAMES_SHOWN) + ' more', shown.slice(FRAMES_SHOWN));
	if (!nameless && libraries.length)
		folded(box, frames(libraries.length) + ' in libraries', libraries);
	if (kernel.length)
		folded(box, frames(kernel.length) + ' in the kernel', kernel, 'kernel');
}

// The paths "/" and "" tell nothing.
function place_of(task) {
	return (task.container ? [', container ', { name: task.container }] : []).concat(
		task.cgroup && task.cgroup !== '/' ? [', control group ', { name: task.cgroup }] : []);
}

function show_state(about, link, more, last) {
	const besides = ['waiting', 'sleeping', 'stopped'].includes(link.state) ? cpu_parts(more, more.other_ns) : '';

	const root = doc.diagnosis.root_cause.text, limited = last && link.state === 'waiting' && link.resource.kind === 'timer';

	// The wait for a time limit may be longer than the part of it that held the victim up.
	element(about, 'p', last && !more.total_ns ? root : limited ? root + '; in this chain for ' + duration(more.total_ns) +
		(more.waits > 1 ? ' in ' + more.waits + ' waits' : '') : link_state(link, more), 'what');
	if (more.limit)
		element(about, 'p', more.limit);
	if (last && is_stopped())
		element(about, 'p', doc.diagnosis.root_cause.text + '.');
	if (besides)
		element(about, 'p', 'besides: ' + besides, 'soft');
}

function show_link(list, link, i) {
	const more = doc.story[i], last = i + 1 === doc.diagnosis.chain.length, cycle = doc.story.filter(s => s.root).length > 1;
	const item = element(list, 'li'), card = element(item, 'div', null, 'link' + (more.root ? ' root' : ''));
	const about = element(card, 'div', null, 'about');
	const title = element(about, 'h3', i + 1 + '. ' + task_name(link));

	if (i === 0)
		element(title, 'span', 'victim', 'tag');
	if (more.root)
		element(title, 'span', cycle ? 'root cause: wait for each other' : 'root cause', 'tag');
	if (more.doubted)
		element(title, 'span', last ? 'may not be the end of the chain' : 'the chain could go on in another way', 'tag open');
	const process = more.lane === null || link.pid === link.tid ? [] : [' (', { name: lanes[more.lane].process }, ')'];
	element(about, 'p', [(process.length ? 'thread of process ' : 'process ') + link.pid].concat(process, place_of(link)), 'soft');
	if (link.cmdline || more.root)
		element(about, 'p', link.cmdline || 'The command line is not recorded.', link.cmdline ? 'mono soft' : 'soft');
	show_state(about, link, more, last);
	if (more.lane !== null) {
		const go = element(about, 'button', 'Show in the timeline', 'go');
		go.type = 'button';
		go.addEventListener('click', () => timeline.show_range(more.lane, link.from_ns - base, link.to_ns - base));
		add_row_buttons(about, more.lane);
	}
	if (last && doc.path.note)
		element(about, 'p', doc.path.note, 'soft');
	more.choices.forEach(t => element(about, 'p', 'Another way: ' + t + '.', 'soft'));
	show_stack(card, link, more);
	const next = next_of(i);

	if (!next)
		return;
	const because = element(item, 'div', null, 'because' + (more.certain ? '' : ' weak'));
	element(because, 'span', certainty(more), 'tag');
	element(because, 'span', more.text + more.notes);
}

// If the task of the lane waited for a CPU, and the chain goes on to the task that had it: adds rows that say which
// tasks had it.
function show_cpu(body, lane, all) {
	const i = doc.story.findIndex(s => s.cpu && s.lane === lane);

	if (i < 0)
		return;
	const cpu = doc.story[i].cpu, next = doc.diagnosis.chain[i + 1];
	for (const [who, ns] of [[task_name(next), cpu.next_ns], ['other tasks', cpu.others_ns], ['no task', cpu.idle_ns], ['not known which task', cpu.lost_ns]])
		if (ns > 0) {
			const tr = element(body, 'tr', null, 'soft');

			['\u2003' + who, 'had the wanted CPU meanwhile' + (cpu.sampled ? ' (estimated by samples)' : '')].forEach(text => element(tr, 'td', text));
			[duration(ns), percent(ns, all)].forEach(text => element(tr, 'td', text, 'n'));
		}
}

function show_path() {
	const sums = new Map(), body = document.querySelector('#path tbody');
	let all = 0;

	for (const p of path) {
		const key = p.lane + ' ' + p.reason.time;
		const row = sums.get(key) || { lane: p.lane, time: p.reason.time, ns: 0 };

		row.ns += p.to - p.from;
		all += p.to - p.from;
		sums.set(key, row);
	}
	const rows = Array.from(sums.values()).sort((a, b) => b.ns - a.ns);
	for (const row of rows.slice(0, 12)) {
		const tr = element(body, 'tr');

		element(tr, 'td', row.lane === null ? 'a task without a lane' : task_name(lanes[row.lane]) + (lanes[row.lane].why === 'chain' ? '' : ' (not in the chain)'));
		element(tr, 'td', TIMES[row.time]);
		element(tr, 'td', duration(row.ns), 'n');
		element(tr, 'td', percent(row.ns, all), 'n');
		if (row.time === 'runnable')
			show_cpu(body, row.lane, all);
	}
	put('path-about', 'For each moment, the task for which the victim had to wait, or the victim itself if it waited for no other task: ' +
		doc.path.count + ' pieces, which add up to ' + duration(all) + '.' + (doc.path.finest_ns ? ' Neighbours shorter than ' + duration(doc.path.finest_ns) +
		' are joined here; "ctrace path" lists all.' : '') + (rows.some(r => r.time === 'unknown') ?
		' State not known: no record shows what the task did.' : '') + (doc.path.truncated ? ' The path is longer than a limit, so a part is missing.' : ''));
	put('path-note', doc.path.note || '');
}

function list_section(id, texts) {
	document.getElementById(id + '-section').hidden = !texts.length;
	texts.forEach(t => element(document.getElementById(id), 'li', t));
}

function missing_texts() {
	const losses = doc.diagnosis.losses, texts = [];
	const joined = lanes.filter(l => l.finest_ns > 0);

	if (losses.records > 0)
		texts.push(losses.records + ' records are missing in the window.');
	new Set(doc.lacking.map(x => x.text)).forEach(t => texts.push(t));
	if (losses.shed && losses.shed.paused_ns)
		texts.push('Nothing at all was recorded for ' + duration(losses.shed.paused_ns) + '.');
	if (joined.length)
		texts.push('To keep this page small, short intervals of ' + joined.length + ' of ' + lanes.length +
			' tasks are joined. The waits of the chain are not.');
	if (doc.services === null)
		texts.push('There are too many requests for a table; "ctrace requests" with a shorter window lists them.');
	if (doc.services === undefined)
		texts.push('The trace is too large for tables of requests and jobs here; "ctrace requests" and "ctrace jobs" make them.');
	if (doc.texts_left_out)
		texts.push('Of ' + doc.texts_left_out + ' intervals, this page only shows the state.');
	if (doc.tasks_left_out)
		texts.push(doc.tasks_left_out + ' more tasks have woken tasks of this page, or were woken by them. They have no lane.');
	return texts;
}

// cells(row) returns the texts of the cells of this row, or functions that fill a cell. numbers: the indices of the
// columns that are aligned right.
function show_table({ id, rows }, cells, numbers) {
	const heads = Array.from(document.querySelectorAll('#' + id + ' th'), e => e.textContent);

	document.getElementById(id + '-section').hidden = !rows.length;
	rows.forEach((row, n) => {
		const tr = element(document.querySelector('#' + id + ' tbody'), 'tr');

		tr.id = row_id({ id }, n);
		tr.tabIndex = -1;
		cells(row).forEach((x, i) => {
			const td = element(tr, 'td', typeof x === 'function' ? '' : x, numbers.includes(i) ? 'n' : '');

			td.dataset.name = heads[i];
			if (typeof x === 'function')
				x(td);
		});
	});
}

// The words of `ctrace requests` about the slowest requests have names without ids: those of tasks and services.
function reason_parts(text) {
	const known = any_of(new Set(lanes.map(l => l.comm).concat(TABLES[0].rows.map(s => s.name))));
	const names = pattern('(?<=\\bthat ).{1,32}?(?= (?:had|held)\\b)|(?<=\\bthe end of )(?!a |the |its )[^ ,]+|(?<=\\bwaiting for |\\bwaited for |^in )(?:' + known + ')(?=[,:]|$| \\()|' +
		'(?<=, )(?:' + known + ')(?= (?:running|sleeping|waiting|in) ?)');
	const parts = [];
	let at = 0;

	for (const m of clean(text).matchAll(names)) {
		parts.push(clean(text).slice(at, m.index), { name: m[0] });
		at = m.index + m[0].length;
	}
	return parts.concat(clean(text).slice(at));
}

function show_tables() {
	// n: the number of answered requests, or of jobs. If it is 0, the cell stays empty.
	const time = (n, ns) => n ? duration(ns) : '';
	const counts = (done, what_done, open, what) => !open ? done : (done ? done + ' ' + what_done + ', and ' : '') + open + ' ' + what;
	const more = (id, n, command) => put(id + '-more', n ? n + ' more: "' + command + '" shows them.' : '');
	const [services, queues] = TABLES;
	const longest = (table, row) => row.slowest ? cell => fill_piece(cell, table, row, row.slowest, 'The longest ' + table.noun, piece_text(table, row.slowest)) : '';
	const requests = s => cell => {
		element(cell, 'span', counts(s.count, 'answered', s.unanswered, services.open));
		if (s.open)
			fill_piece(cell, services, s, s.open, 'A request without an answer', (s.open.awaited ? 'waits for ' : 'no answer for ') + duration(s.open.to_ns - s.open.from_ns));
	};

	show_table(services, s => [[{ name: services.name(s) }], requests(s), time(s.count, s.latency_ns.p50), time(s.count, s.latency_ns.p99), longest(services, s),
		s.reason ? reason_parts(s.reason) : '', cell => fill_tasks(cell, services, s)], [1, 2, 3, 4]);
	show_table(queues, q => [[{ name: queues.name(q) }], counts(q.count, 'began', q.waiting, 'still wait'), time(q.count, q.queueing_ns.p99), time(q.count, q.execution_ns.p99),
		longest(queues, q), q.text, cell => fill_tasks(cell, queues, q)], [1, 2, 3, 4]);
	put('services-note', doc.path.note || '');
	more('services', doc.services_left_out, 'ctrace requests');
	more('queues', doc.queues_left_out, 'ctrace jobs');
}

function comparison_texts() {
	const d = doc.diagnosis, texts = [];

	if (d.comparison)
		texts.push('Compared with an earlier wait: ' + d.comparison.missing.text + '.');
	if (d.watch)
		texts.push('To see which task writes the polled variable: ' + d.watch);
	return texts;
}

// The length of the whole wait, of which a part may be before the trace.
function whole(x) {
	return (x.before_ns ? 'at least ' : '') + duration(x.before_ns + x.length_ns);
}

// Says since when, if x.begin is the begin of a row of the list.
function since_when(x) {
	return local_time(x.begin, -x.before_ns) + (x.before_ns ? ' or earlier' : '');
}

// Names the tasks of h.waiting by the task for which they waited, and says since when and for how long.
function waiting_text(h) {
	const name = x => task_name(x) + ' for ' + whole(x) + ' since ' + since_when(x);
	const to = x => (x.certain ? 'for ' : 'perhaps for ') + x.for;
	const groups = Array.from(new Set(h.waiting.map(to)), task => task + ': ' + h.waiting.filter(x => to(x) === task).map(name).join(', '));

	return groups.join('; ') + (h.waiters > h.waiting.length ? '; and ' + (h.waiters - h.waiting.length) + ' more' : '');
}

function show_hangs() {
	const h = doc.hangs, n = h.others.length + h.others_left_out, box = document.getElementById('others');
	const more = !h.waiters ? ' No other task was found that waited long for a task of this chain.' : ' ' + h.waiters + ' more task' +
		(h.waiters === 1 ? '' : 's') + (h.waiters === h.waiting.length && h.waiting.every(x => x.certain) ? '' : ' perhaps') + ' waited for a task of this chain (' + waiting_text(h) + ').';

	put('chosen-how', h.chosen + more + (n ? '' : ' No other hang was found ' + h.where + '.'));
	box.hidden = !n;
	put('others-title', n + ' other hang' + (n === 1 ? '' : 's') + ' ' + h.where + ': ' + h.others.slice(0, 3).map(x => task_name(x) +
		' for ' + whole(x)).join(', ') + (n > 3 ? ', ...' : ''));
	element(document.getElementById('others-list'), 'li', 'Each of these hangs has a window of its own, which its page shows.', 'soft');
	for (const x of h.others) {
		const item = element(document.getElementById('others-list'), 'li');

		element(item, 'span', 'Since ' + since_when(x) + ': ' + x.text +
			(x.waiters ? ' More tasks that waited for a task of this chain: ' + waiting_text(x) + '.' : ''));
		element(item, 'code', x.command);
	}
	if (h.others_left_out)
		element(document.getElementById('others-list'), 'li', h.others_left_out + ' more: "ctrace hangs" lists them.');
}

function show_next() {
	for (const x of doc.next) {
		const item = element(document.getElementById('next'), 'li');

		element(item, 'code', x.command);
		element(item, 'span', ' ' + x.about, 'soft');
	}
}

// A long headline is set in two parts: the first one says which task or thing is to blame, and what it did.
const HEADLINE = 110, HEADLINE_FIRST = 40, HEADLINE_REST = 50;

// Returns where the second part begins, which is not within a name. 0: there is no second part.
function headline_cut(text) {
	const names = Array.from(text.matchAll(NAMES), m => [m.index, m.index + m[0].length]);
	const cuts = Array.from(text.matchAll(/ \(|, (?:and|at) /g), m => m.index);
	// a command line in parentheses may have parentheses of its own
	const inside = at => text.slice(0, at).split('(').length !== text.slice(0, at).split(')').length;

	return text.length > HEADLINE &&
		cuts.find(at => at >= HEADLINE_FIRST && text.length - at >= HEADLINE_REST && !inside(at) && !names.some(([from, to]) => from < at && at < to)) || 0;
}

function show_headline(text) {
	const h1 = document.getElementById('blame'), shown = clean(text), cut = headline_cut(shown);

	fill(h1, cut ? shown.slice(0, cut) : shown);
	if (cut)
		element(h1, 'span', shown.slice(cut), 'rest');
}

function show_report() {
	const d = doc.diagnosis;

	document.title = clean('ctrace: ' + task_name(d.victim));
	put('subject', ['ctrace: why '].concat(task_long(d.victim), ' was slow or stuck'));
	show_headline((d.confidence === 'strong' || d.verdict === 'normal' ? 'Blame: ' : 'Blame, partly inferred: ') + doc.summary.blame);
	put('victim', 'Victim: ' + doc.summary.victim + '.');
	put('how-sure', 'How sure: ' + doc.summary.sure);
	put('sentence', d.text);
	put('verdict', 'Verdict: ' + doc.summary.verdict + '.' + (doc.summary.cause ? ' Cause: ' + doc.summary.cause + '.' : ''));
	put('window', ['Window: ' + doc.begin.slice(0, 10) + ' ' + wall(d.window.from_ns - base, 3) + ' to ' + wall(d.window.to_ns - base, 3) +
		', UTC' + doc.zone + ' (' + duration(d.window.to_ns - d.window.from_ns) +
		'). The durations of the chain count only what is in the window, if they do not say otherwise. Trace: ', { name: doc.trace }]);
	show_hangs();
	show_sure();
	show_time();
	d.chain.forEach((link, i) => show_link(document.getElementById('story'), link, i));
	show_path();
	show_tables();
	list_section('choices', d.choices.map(t => t + '.').concat(comparison_texts()));
	list_section('missing', missing_texts());
	show_next();
	put('footer', 'Made by ctrace view. The page loads nothing and sends nothing. It shows activity of the whole machine: treat it as confidential.');
}
