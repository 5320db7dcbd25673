// SPDX-License-Identifier: GPL-2.0-or-later
// Drives a headless browser with puppeteer-core, for pages.py: one command a line on the standard input, one answer a line
// on the standard output.
//
//   node driver.js PUPPETEER chrome|firefox PROGRAM
"use strict";
const readline = require("readline");
const puppeteer = require(process.argv[2]);
const kind = process.argv[3];

let browser, page, seen;

// Firefox has its colours by a setting of the whole browser.
async function launch(dark) {
	return puppeteer.launch({
		browser: kind,
		executablePath: process.argv[4],
		args: kind === "chrome" ? ["--no-sandbox", "--disable-gpu"] : [],
		extraPrefsFirefox: { "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1 },
		protocolTimeout: 60000,
	});
}

function watch() {
	seen = { requests: [], complaints: [] };
	page.on("request", r => {
		if (!r.url().startsWith("data:")) // makes no request; Firefox has a font of its own in such a URL
			seen.requests.push(r.url());
	});
	page.on("console", m => {
		if (["error", "warn", "assert"].includes(m.type()))
			seen.complaints.push(m.text());
	});
	page.on("pageerror", e => seen.complaints.push(String(e)));
}

// Sets media and colours at once: in Chromium, a command that sets only one of them takes the other back.
async function emulate(media, dark) {
	const session = await page.createCDPSession();
	await session.send("Emulation.setEmulatedMedia", { media, features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
}

const commands = {
	async create({ width, height, dark, phone }) {
		browser = browser || await launch(dark);
		page = await browser.newPage();
		watch();
		await page.setViewport({ width, height, deviceScaleFactor: phone ? 2 : 1, isMobile: phone, hasTouch: phone });
		if (kind === "chrome")
			await emulate("", dark);
	},
	// Firefox reports no request for a file. There, `requests` gets the page itself.
	async open({ path }) {
		await page.goto("file://" + path, { waitUntil: "load" });
		if (kind === "firefox")
			seen.requests.unshift(page.url());
	},
	// waits until the browser has nothing more to report about the page
	async seen() {
		await page.evaluate("new Promise(done => setTimeout(done, 0))");
		return seen;
	},
	js: ({ code }) => page.evaluate(code),
	close: () => page.close(),
	pdf: async () => Buffer.from(await page.pdf({ printBackground: true })).toString("base64"),
	media: ({ media, dark }) => emulate(media, dark),
	move: ({ x, y }) => page.mouse.move(x, y),
	async drag({ points }) {
		await page.mouse.move(...points[0]);
		await page.mouse.down();
		for (const p of points.slice(1))
			await page.mouse.move(...p);
		await page.mouse.up();
	},
	async wheel({ x, y, by }) {
		await page.mouse.move(x, y);
		await page.mouse.wheel({ deltaY: by });
	},
	key: ({ key }) => page.keyboard.press(key),
	type: ({ text }) => page.keyboard.type(text),
	async touch({ steps }) {
		const fingers = [];
		for (const p of steps[0])
			fingers.push(await page.touchscreen.touchStart(...p));
		for (const step of steps.slice(1))
			for (let i = 0; i < fingers.length; i++)
				await fingers[i].move(...step[i]);
		for (const finger of fingers)
			await finger.end();
	},
};

(async () => {
	for await (const line of readline.createInterface({ input: process.stdin })) {
		const { command, ...args } = JSON.parse(line);
		let answer;
		try {
			const value = await commands[command](args);
			answer = { value: value === undefined ? null : value };
		} catch (e) {
			answer = { error: String(e).slice(0, 1000) };
		}
		process.stdout.write(JSON.stringify(answer) + "\n");
	}
	if (browser)
		await browser.close();
})();
