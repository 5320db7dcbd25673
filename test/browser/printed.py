# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares a printed page with the page on the screen: nothing that a reader needs is hidden, cut off or dark."""
import base64
import re
import shutil
import subprocess

SHEET_PX = 697  # the text of a sheet of A4 with the margins of Firefox, which are wider than those of Chromium
# What paper does not need: the controls, and texts about them. [hidden]: sections without content. The columns of a
# stacked table stand one below the other, each with its name.
USELESS = "#tools, .hint, #tip, .go, #lane-rows, .stacked thead, [hidden], script, style, noscript"
HIDDEN = """Array.from(document.querySelectorAll('body *')).filter(e => !e.closest('%s') && e.getClientRects().length === 0 &&
    Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim())).map(e => e.textContent.slice(0, 60))""" % USELESS
WIDE = """Array.from(document.querySelectorAll('body *')).filter(e => !e.closest('%s') && e.getBoundingClientRect().right > document.body.getBoundingClientRect().right + 1)
    .map(e => e.tagName + ' ' + e.id + e.className + ' ' + Math.round(e.getBoundingClientRect().right))""" % USELESS
CLOSED = "document.querySelectorAll('details:not([open])').length"
CORNER = """(() => {
    const from = ctrace_view.timeline.canvas, copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    copy.drawImage(from, from.width - 2, from.height - 2, 1, 1, 0, 0, 1, 1);
    return Array.from(copy.getImageData(0, 0, 1, 1).data).slice(0, 3);
})()"""
LABELS = """(() => {
    const box = ctrace_view.timeline.box.getBoundingClientRect();
    const scale = ctrace_view.timeline.canvas.getBoundingClientRect().width / ctrace_view.timeline.width;
    return Array.from(document.querySelectorAll('#labels .lane'), e => e.getBoundingClientRect().right - box.left - scale * ctrace_view.timeline.gutter);
})()"""
WORDS = "#sentence, #blame, #victim, #how-sure, #story h3, #story .stack li, #legend li, #labels .lane, #next code, #others-list span"


def check_layout(page):
    """Yields what is wrong with the layout for print. Needs a browser that can show the layout on the screen."""
    dark = page.js(CORNER)
    closed = page.js(CLOSED)
    page.js("dispatchEvent(new Event('beforeprint'))")
    # the sheet is narrower than the window, but the window does not change
    page.js("document.body.style.width = '%dpx'" % SHEET_PX)
    page.media("print")
    hidden, wide = page.js(HIDDEN), page.js(WIDE)
    if hidden:
        yield "in print, these texts are hidden: %s" % hidden[:5]
    if wide:
        yield "in print, these elements are wider than the sheet: %s" % wide[:5]
    if page.js(CORNER) != [255, 255, 255]:
        yield "in print, the timeline is dark: %s" % page.js(CORNER)
    if max(page.js(LABELS)) > 0:
        yield "in print, the labels of the lanes lie over the bars: %s" % page.js(LABELS)
    page.media("")
    page.js("document.body.style.width = ''")
    page.js("dispatchEvent(new Event('afterprint'))")
    if page.js(CORNER) != dark or dark == [255, 255, 255] or page.js(CLOSED) != closed:
        yield "after printing, the page differs from before: %s, %s" % (page.js(CORNER), dark)


def letters(text):
    """A PDF has line breaks and hyphens of its own, and its fonts may join letters."""
    return re.sub(r"[^A-Za-z0-9]", "", text.replace("\ufb01", "fi").replace("\ufb02", "fl").replace("\ufb00", "ff"))


def check_pdf(page, path):
    """Yields texts that the printed page lacks."""
    with open(path, "wb") as f:
        f.write(base64.b64decode(page.pdf()))
    if not shutil.which("pdftotext"):
        print("  there is no pdftotext (Debian: poppler-utils): the text of the printed page is not looked at")
        return
    text = letters(subprocess.run(["pdftotext", "-raw", path, "-"], stdout=subprocess.PIPE, check=True).stdout.decode())
    for want in page.js("Array.from(document.querySelectorAll('%s'), e => e.textContent)" % WORDS):
        if letters(want) not in text:
            yield "the printed page lacks: %s" % want


def check(browser, page, path):
    if browser.full:
        yield from check_layout(page)
    yield from check_pdf(page, path)
