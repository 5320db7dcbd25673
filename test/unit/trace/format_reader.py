#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""format_reader.py FILE: a slow and simple reader of trace files, written from doc/format.md alone.

Prints each fact on a line. format_test compares the facts with those that ctrace's own reader finds.
"""
import ctypes
import struct
import sys

M64 = (1 << 64) - 1


def crc32c_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


TABLE = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def unzstd(data, size):
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    lib.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(size)
    assert lib.ZSTD_decompress(out, size, data, len(data)) == size, "zstd"
    return out.raw


class Column:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, size):
        value = int.from_bytes(self.data[self.at:self.at + size], "little")
        assert self.at + size <= len(self.data), "column too short"
        self.at += size
        return value

    def varint(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value


def unzigzag(z):
    return z >> 1 if not z & 1 else -(z + 1 >> 1)


def items(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


def blocks_of(body):
    blocks, at = {}, 0
    while at < len(body):
        kind, codec, width, raw, stored = struct.unpack_from("<HBBII", body, at)
        data = body[at + 16:at + 16 + stored]
        at += 16 + (stored + 7) // 8 * 8
        assert kind not in blocks, "a block twice"
        if codec == 1:
            data = unzstd(data, raw)
        assert codec in (0, 1) and len(data) == raw, "codec"
        if width > 1:
            n = raw // width
            data = bytes(data[b * n + i] for i in range(n) for b in range(width))
        blocks[kind] = data
    return blocks


FIELDS = ("state", "wait", "flags", "nr", "aux", "obj")


def records_of(blocks, begin_ns, kind_info):
    column = {k: Column(blocks.get(k, b"")) for k in range(8, 30)}
    tids = [int.from_bytes(i, "little") for i in items(blocks.get(3, b""), 4)]
    objs = [int.from_bytes(i, "little") for i in items(blocks.get(4, b""), 8)]
    context, wakee = {}, {}
    for item in items(blocks.get(2, b""), 24):
        cpu, _, n, _, _ = struct.unpack("<HHIQQ", item)
        cur, ts = 0, begin_ns
        for _ in range(n):
            z = 0
            for k in range(column[10].number(1)):
                z |= column[11 + k].number(1) << 8 * k
            ts = ts + unzigzag(z) & M64
            kind, mask = column[8].number(1), column[9].number(1)
            info = kind_info[kind]
            tid = wakee.get(cur % 2048, 0) if info & 0x40 else cur
            if mask & 1:
                tid = tids[column[19].varint()]
            c = context.setdefault((tid * 8 ^ kind % 8) % 16384, dict.fromkeys(FIELDS + ("peer", "x0", "x1"), 0))
            if mask & 2:
                c["peer"] = tids[column[20].varint()] if info & 0x80 else column[21].varint()
            elif info & 0x40:
                c["peer"] = cur
            for bit, name, col, size in ((4, "state", 22, 1), (8, "wait", 23, 1), (16, "flags", 24, 1),
                                         (32, "nr", 25, 2), (64, "aux", 26, 2)):
                if mask & bit:
                    c[name] = column[col].number(size)
            if mask & 128:
                c["obj"] = objs[column[27].varint()]
            x = [0, 0]
            for k in range(info & 3):
                name = "x%d" % k
                x[k] = c[name] = c[name] + unzigzag(column[28 + k].varint()) & M64
            if info & 0x40:
                wakee[cur % 2048] = tid
            if info & 0x20:
                cur = c["peer"]
            yield (ts, cpu, kind, tid, c["peer"], *(c[f] for f in FIELDS), *x)
    for k, c in column.items():
        assert c.at == len(c.data), "column %d has more" % k


def entries(data):
    at = 0
    while at < len(data):
        ts, kind, flags, size, tid = struct.unpack_from("<QBBHI", data, at)
        yield ts, kind, flags, tid, data[at:at + size]
        at += size


def cstring(data):
    return data.split(b"\0")[0].decode()


def segments_of(data):
    magic, major, _, head, slot_bytes, n_slots, file_id, _, n_cpus, n_meta = struct.unpack_from("<8sHHIIIQQII", data)
    assert magic == b"\x89CTR\r\n\x1a\n" and major == 1
    whole = bytearray(data[:head + n_meta])
    crc = struct.unpack_from("<I", whole, 60)[0]
    whole[60:64] = bytes(4)
    assert crc32c(whole) == crc, "crc of the file header"
    found = []
    for slot in range(1, n_slots + 1):
        h = data[slot * slot_bytes:(slot + 1) * slot_bytes]
        if len(h) < 576 or h[:8] != b"CTRSEG\x1a\n" or struct.unpack_from("<Q", h, 16)[0] != file_id:
            continue
        size = struct.unpack_from("<I", h, 12)[0]
        checked = bytearray(h[:size])
        checked[572:576] = bytes(4)
        if crc32c(checked) == struct.unpack_from("<I", h, 572)[0]:
            seq, = struct.unpack_from("<Q", h, 24)
            end_ns, = struct.unpack_from("<Q", h, 64)
            found.append((seq, end_ns, slot, h[:size]))
    return slot_bytes, [one_of(copies, data, slot_bytes) for copies in by_seq(sorted(found))]


def by_seq(found):
    copies = {}
    for seq, _, slot, h in found:
        copies.setdefault(seq, []).append((seq, slot, h))
    return copies.values()


def one_of(copies, data, slot_bytes):
    for seq, slot, h in reversed(copies):
        if len(copies) == 1 or crc32c(body_of(data, slot * slot_bytes, h)) == struct.unpack_from("<I", h, 108)[0]:
            return seq, slot, h
    raise AssertionError("all copies are damaged")


def body_of(data, at, h):
    return data[at + len(h):][:struct.unpack_from("<I", h, 104)[0]]


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    slot_bytes, segments = segments_of(data)
    records, tasks, objects, stacks, states = [], set(), {}, {}, []
    for number, (seq, slot, h) in enumerate(segments):
        begin, = struct.unpack_from("<Q", h, 56)
        _, crc, n_records, _, n_tasks, n_objects, n_stacks, n_states = struct.unpack_from("<8I", h, 104)
        body = body_of(data, slot * slot_bytes, h)
        assert crc32c(body) == crc, "crc of a body"
        blocks = blocks_of(body)
        got = list(records_of(blocks, begin, h[200:264]))
        kinds = struct.unpack_from("<64I", h, 264)
        assert len(got) == n_records == sum(kinds), "number of records"
        for kind in range(64):
            assert kinds[kind] == sum(r[2] == kind for r in got), "number of records of a kind"
        records += got
        counts = [0, 0, 0]
        for ts, kind, flags, tid, e in entries(blocks.get(32, b"")):
            counts[0] += 1
            if kind != 64:  # not a task, but a command line
                continue
            tasks.add((tid, ts, cstring(e[48:64]), *struct.unpack_from("<II", e, 16)))
        for ts, kind, flags, tid, e in entries(blocks.get(33, b"")):
            counts[1] += kind == 65
            ident, ino, peer = struct.unpack_from("<QQQ", e, 16)
            n_name, = struct.unpack_from("<H", e, 58)
            if ident not in objects or objects[ident][0] <= ts:
                objects[ident] = (ts, ino, peer, e[104:104 + n_name].decode())
        for ts, kind, flags, tid, e in entries(blocks.get(34, b"")):
            counts[2] += kind == 66
            ident, n = struct.unpack_from("<QH", e, 16)
            stacks[ident] = [s.decode() for s in e[32:].split(b"\0")[:n]]
        found = items(blocks.get(35, b""), 48)
        assert counts == [n_tasks, n_objects, n_stacks] and len(found) == n_states, "number of entries"
        if number == 0:
            states = found
    records = [r for _, _, _, r in sorted((r[0], r[1], i, r) for i, r in enumerate(records))]
    for r in records:
        print("record", *r)
    for t in sorted(tasks):
        print("task", *t)
    for ident in sorted(objects):
        print("object", ident, *objects[ident])
    for ident in sorted(stacks):
        print("stack", ident, *stacks[ident], sep="|")
    for s in states:
        ts, _, state, wait, _, tid = struct.unpack_from("<QBBBBI", s)
        nr, = struct.unpack_from("<H", s, 20)
        obj, = struct.unpack_from("<Q", s, 24)
        owner, run = struct.unpack_from("<IB", s, 32)
        cpu, = struct.unpack_from("<H", s, 40)
        print("state", tid, ts, state, wait, nr, obj, owner, run, cpu)


main()
