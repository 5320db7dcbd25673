// SPDX-License-Identifier: GPL-2.0-or-later
// Links between the tables of requests and jobs, and the lanes of the timeline.

const TABLES = [
	{ id: 'services', rows: doc.services || [], noun: 'request', open: 'without an answer', asks: 'sends requests', works: 'works for requests',
		name: s => s.name + ' ' + s.address },
	{ id: 'queues', rows: doc.queues || [], noun: 'job', open: 'not ended', asks: 'enqueues jobs', works: 'runs jobs',
		name: q => q.comm + '[' + q.pid + '] ' + q.name },
];

// Of the tasks of a row, a click shows more than this many.
const TASKS_SHOWN = 6;

function row_id(table, i) {
	return table.id + '-row-' + (i + 1);
}

// The rows in which the task of this lane has a part.
function rows_of(lane) {
	const list = [];

	for (const table of TABLES)
		table.rows.forEach((row, i) => row.tasks.filter(t => t.lane === lane).forEach(task => list.push({ table, row, task, id: row_id(table, i) })));
	return list;
}

function part_text(table, task) {
	return [task.works ? table.works : '', task.asks ? table.asks : ''].filter(x => x).join(', and ');
}

function piece_text(table, piece) {
	return duration(piece.to_ns - piece.from_ns) + (piece.ended ? '' : ' so far, ' + table.open);
}

function piece_range(piece) {
	return 'from ' + local_time(doc.begin, piece.from_ns) + ' to ' + local_time(doc.begin, piece.to_ns);
}

function add_button(parent, text, about, act) {
	const b = element(parent, 'button', text, 'go');

	b.type = 'button';
	if (about) {
		b.title = clean(about);
		b.setAttribute('aria-label', b.textContent + ': ' + b.title);
	}
	b.addEventListener('click', act);
	return b;
}

function go_to_row(id) {
	const row = document.getElementById(id);

	row.scrollIntoView({ block: 'center' });
	row.focus({ preventScroll: true });
}

// Buttons to the rows in which the task of this lane has a part.
function add_row_buttons(parent, lane) {
	for (const { table, row, task, id } of rows_of(lane))
		add_button(parent, [table.noun + 's: ', { name: table.name(row) }, ' (' + part_text(table, task) + ')'],
			'Go to the row of the table of ' + table.noun + 's', () => go_to_row(id));
}

// Shows a request or job in the timeline: its time is marked, and the lanes are shown.
function show_piece(table, row, piece, what, shown) {
	timeline.show_marked(piece, shown);
	put_lines(document.getElementById('chosen'), [[what + ': ', { name: table.name(row) }],
		piece_text(table, piece) + ', ' + piece_range(piece) + '. The timeline marks this time.',
		shown.length ? 'Task: ' + shown.map(i => task_name(lanes[i])).join(', ') : 'Its tasks have no lane.']);
}

function add_task_button(parent, table, row, task) {
	const lane = lanes[task.lane];

	add_button(parent, task_name(lane), 'Show in the timeline: ' + task_name(lane) + ' ' + part_text(table, task) + '; its longest ' + table.noun + ': ' +
		piece_text(table, task.longest), () => show_piece(table, row, task.longest, 'The longest ' + table.noun + ' of ' + task_name(lane), [task.lane]));
}

function add_task_group(cell, table, row, title, tasks) {
	if (!tasks.length)
		return;
	const group = element(cell, 'div', null, 'tasks');
	element(group, 'span', title + ': ', 'soft');
	tasks.slice(0, TASKS_SHOWN).forEach(t => add_task_button(group, table, row, t));
	if (tasks.length <= TASKS_SHOWN)
		return;
	const rest = element(group, 'details');
	element(rest, 'summary', tasks.length - TASKS_SHOWN + ' more');
	tasks.slice(TASKS_SHOWN).forEach(t => add_task_button(rest, table, row, t));
}

// Fills a cell with the tasks of the row that have a lane.
function fill_tasks(cell, table, row) {
	add_task_group(cell, table, row, table.works, row.tasks.filter(t => t.works));
	add_task_group(cell, table, row, table.asks, row.tasks.filter(t => !t.works));
	if (!row.tasks.length)
		element(cell, 'span', 'none of its tasks has a lane', 'soft');
}

// The longest request or job of a row that this function gets is shown with those tasks for which it is the longest, too.
function fill_piece(cell, table, row, piece, what, text) {
	const same = row.tasks.filter(t => t.longest.from_ns === piece.from_ns && t.longest.to_ns === piece.to_ns).map(t => t.lane);

	add_button(cell, text, 'Show in the timeline: ' + piece_range(piece), () => show_piece(table, row, piece, what, same));
}
