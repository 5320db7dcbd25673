# SPDX-License-Identifier: GPL-2.0-or-later
"""Names with bytes that must not reach a terminal, and with markup that must not reach a page. Uses the tables of Python, not
those of ctrace."""
import json
import re
import unicodedata

# BYTES is also the name of a file, so it has no slash and no NUL. If its newline gets through, a
# line of the output begins with FORGED.
BYTES = (b"q\x1b[35m\x1b]0;t\x07\x7f\r\t\nFORGED \xc2\x9b35m\x9b\xff\xed\xa0\x80\xc0\xaf\xe2\x80\xae\xe2\x81\xa6"
         b"\xd8\x9c\xe2\x80\x8b\xef\xbb\xbf\xc2\xad\xe2\x80\xa8\xf3\xa0\x81\x81\xef\xbf\xb9\xef\xb8\x8f\xe3\x85\xa4"
         b"<img src=x>&\"']]>")
TEXT = BYTES.decode("utf-8", "ignore")  # BYTES without the bytes that are no UTF-8
COMMS = [b"q\x1b[35m\x1b]0;t\x07", b"q\xc2\x9b35m\x9b\xff", b"q\xe2\x80\xaegp\xe2\x81\xa6", b"q\nFORGED\t\r\x7f",
         b"q\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", b"q\xf3\xa0\x81\x81\xed\xa0\x80", b"q<b>&\"']]></b>", b"q</script><b>"]
MARKUP = b"<img src=x", b"<b>&", b"</script><b>"

ALLOWED_SGR = re.compile("\x1b\\[(0|1|31|32|33|1;31|1;32)m")
# Characters that are invisible, although their Unicode category does not say so.
INVISIBLE = {0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, *range(0x180b, 0x1810), *range(0xfe00, 0xfe10),
             *range(0xe0100, 0xe01f0)}


def is_bad(c):
    return c not in "\n\t" and (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(c) in INVISIBLE)


def problems(data, colour=False):
    """Names the characters that could act on a terminal or deceive a reader. colour: ctrace's own colours are allowed."""
    text = data.decode("utf-8", "surrogateescape")
    if colour:  # a terminal turns \n into \r\n
        text = ALLOWED_SGR.sub("", text).replace("\r\n", "\n")
    bad = sorted({"U+DC%02X (no UTF-8)" % ord(c.encode("utf-8", "surrogateescape")) if "\ud800" <= c <= "\udfff"
                  else "U+%04X" % ord(c) for c in text if is_bad(c)})
    if re.search("^FORGED", text, re.MULTILINE):
        bad.append("a line of its own")
    return bad


def json_problems(data, lines=False):
    """Returns what is wrong with `data`. It must be valid JSON, and pure ASCII, because a terminal may show it. lines:
    each line of `data` is a JSON document."""
    try:
        for document in data.splitlines() if lines else [data]:
            json.loads(document)
    except ValueError as e:
        return ["no JSON: %s" % e]
    return [] if data.isascii() else ["not ASCII"]


def markup_problems(data):
    """Returns the names in a page or picture that are markup there."""
    return [m.decode() for m in MARKUP if m in data]
