#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
// A node server answers three clients. Then the server computes for 2.5 s in its event loop, for the client
// "heavy". Meanwhile, the server cannot answer the request of the victim.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const net = require('net');

// The first stamp of a connection has the note HELLO, and the time at which the client asked for the
// connection.
const ROUNDS = 10, STAMP = 16, HELLO = 2, scale = Number(process.env.LIVE_SCALE || 1);
const edges = [];

const now = () => process.hrtime.bigint();
const say = (text) => fs.writeSync(1, text + '\n');
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Makes a stamp: the time, the tid and a note (told.h). Only main threads make stamps, so the tid is the pid.
function stamp(note) {
	const b = Buffer.alloc(STAMP);
	b.writeBigUInt64LE(now(), 0);
	b.writeUInt32LE(process.pid, 8);
	b.writeUInt32LE(note, 12);
	return b;
}

// Adds an edge to the list `edges`, which the program prints at its end. The edge goes from the task `who` to this
// task. The program cannot know whether its event loop slept before a `connect` or a `close`. So it prints these
// edges as "ran", which says that the trace may have no record of them (told.h).
function caused(kind, who, left, at = now()) {
	const seen = kind === 'connect' || kind === 'close' ? 'ran' : 'slept';
	edges.push(`edge=${kind} ${who} ${left} ${process.pid} ${at} ${seen}\n`);
}

function role(name, related) {
	const who = `${process.pid}/${process.pid}`;
	say(`role.${name}=${who}\n${related ? 'related' : 'unrelated'}=${who}`);
}

// Calls fn(note, tid, time) for each stamp that arrives. Adds an edge `message` for each stamp, and an edge
// `close` at the end of the connection.
function hear(socket, fn) {
	let rest = Buffer.alloc(0), from, last;
	socket.on('end', () => caused('close', from, last));
	socket.on('data', (data) => {
		const at = now(); // the time of arrival of all stamps that one call received
		for (rest = Buffer.concat([rest, data]); rest.length >= STAMP; rest = rest.subarray(STAMP)) {
			const left = rest.readBigUInt64LE(0), who = rest.readUInt32LE(8);
			caused('message', who, left, at);
			[from, last] = [who, left];
			fn(rest.readUInt32LE(12), who, left);
		}
	});
}

function compute(ms) {
	const end = now() + BigInt(Math.round(ms * 1e6));
	while (now() < end);
}

function server() {
	let left = 3;
	const s = net.createServer((socket) => {
		const accepted = now();
		hear(socket, (note, who, left) => {
			if (note === HELLO)
				return caused('connect', who, left, accepted);
			compute(note ? 2500 * scale : 1);
			socket.write(stamp(0));
		});
	});
	role('server', true);
	s.listen(0, '127.0.0.1', () => {
		for (const name of ['victim', 'other', 'heavy']) {
			const began = now();
			const child = spawn(process.execPath, [__filename, name, s.address().port, process.pid, began],
				{ stdio: ['ignore', 1, 2] });
			child.on('exit', () => {
				caused('exit', child.pid, began);
				if (!--left)
					s.close();
			});
		}
	});
}

async function client(name, port) {
	const hello = stamp(HELLO);
	const socket = net.connect(port, '127.0.0.1');
	let heard;
	socket.setNoDelay(true);
	role(name, name !== 'other');
	hear(socket, () => heard());
	const ask = (note) => new Promise((done) => {
		heard = done;
		socket.write(stamp(note));
	});
	await new Promise((done) => socket.on('connect', done));
	socket.write(hello);
	for (let i = 0; i < ROUNDS; i++) {
		await ask(0);
		await sleep(4);
	}
	if (name === 'heavy') {
		await sleep(300);
		await ask(1);
	} else if (name === 'victim') {
		say(`victim_pid=${process.pid}\nvictim_tid=${process.pid}`);
		await sleep(400);
		say(`t_start_ns=${now()}`);
		await ask(0);
		say(`t_end_ns=${now()}`);
	}
	socket.end();
}

const [name, port, parent, began] = process.argv.slice(2);
process.on('exit', () => say(edges.join('').trimEnd()));
if (name) {
	caused('fork', parent, began);
	client(name, Number(port));
} else {
	say('expect.verdict=long-wait\nexpect.cause=busy|slow-peer|queueing\nexpect.kind=tcp\nexpect.root=server\n' +
		'expect.chain=victim,server');
	server();
}
