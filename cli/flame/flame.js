// SPDX-License-Identifier: GPL-2.0-or-later
(function () {
	"use strict";
	var root = document.documentElement;
	var full = +root.getAttribute("data-width"), left = +root.getAttribute("data-left");
	var letter = +root.getAttribute("data-letter");
	var details = document.getElementById("details"), found = document.getElementById("found");
	var reset = document.getElementById("reset");
	// The numbers in the picture are rounded to 0.0001.
	var slack = 0.001;
	var view = { x: 0, w: full }, pattern = null;

	var frames = Array.prototype.map.call(document.querySelectorAll(".f"), function (g) {
		var rect = g.querySelector("rect"), lines = g.querySelector("title").textContent.split("\n");

		return { g: g, rect: rect, text: g.querySelector("text"), name: lines[0], about: lines[0] + " - " + lines[1],
			 x: +rect.getAttribute("x") - left, w: +rect.getAttribute("width"), y: +rect.getAttribute("y") };
	});

	function label(frame, width) {
		var n = Math.floor((width - 6) / letter);

		if (n < 3)
			return "";
		return frame.name.length <= n ? frame.name : frame.name.slice(0, n - 2) + "..";
	}

	function place(frame, x, w, up) {
		frame.rect.setAttribute("x", left + x);
		frame.rect.setAttribute("width", w);
		frame.text.setAttribute("x", left + x + 3);
		frame.text.textContent = label(frame, w);
		frame.g.classList.toggle("up", up);
		frame.g.style.display = "";
	}

	// Makes the frame `on` as wide as the picture, and also all frames from there down to the root.
	// null: shows the whole picture.
	function zoom(on) {
		var x = on ? on.x : 0, w = on ? on.w : full;

		view = { x: x, w: w };
		frames.forEach(function (f) {
			if (on && f.y > on.y && f.x <= x + slack && f.x + f.w >= x + w - slack)
				place(f, 0, full, true);
			else if (f.x + f.w <= x + slack || f.x >= x + w - slack || (on && f.y > on.y))
				f.g.style.display = "none";
			else
				place(f, (f.x - x) / w * full, f.w / w * full, false);
		});
		reset.style.display = on ? "" : "none";
		mark();
	}

	// Shows the share of the visible width that lies in frames with the pattern. Nested frames count once.
	function mark() {
		var hits, end = view.x, sum = 0;

		frames.forEach(function (f) {
			f.hit = pattern !== null && pattern.test(f.name);
			f.g.classList.toggle("found", f.hit);
		});
		if (pattern === null) {
			found.textContent = "";
			return;
		}
		hits = frames.filter(function (f) { return f.hit; }).sort(function (a, b) { return a.x - b.x; });
		hits.forEach(function (f) {
			var a = Math.max(f.x, end), b = Math.min(f.x + f.w, view.x + view.w);

			if (b > a) {
				sum += b - a;
				end = b;
			}
		});
		found.textContent = "found: " + (100 * sum / view.w).toFixed(1) + " %";
	}

	function search(words) {
		if (words === null)
			return;
		try {
			pattern = words === "" ? null : new RegExp(words, "i");
		} catch (e) {
			pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
		}
		mark();
	}

	function ask() {
		search(window.prompt("Search for (a regular expression; empty: end the search):", ""));
	}

	frames.forEach(function (f) {
		f.g.addEventListener("click", function () { zoom(f); });
		f.g.addEventListener("mouseover", function () { details.textContent = f.about; });
		f.g.addEventListener("mouseout", function () { details.textContent = " "; });
	});
	reset.addEventListener("click", function () { zoom(null); });
	document.getElementById("search").addEventListener("click", ask);
	document.addEventListener("keydown", function (e) {
		if (e.key === "Escape") {
			pattern = null;
			zoom(null);
		} else if (e.key === "/" || (e.key === "f" && e.ctrlKey)) {
			e.preventDefault();
			ask();
		}
	});
	document.getElementById("search").style.display = "";
	window.ctraceFlame = { zoom: zoom, search: search, frames: frames };
})();
