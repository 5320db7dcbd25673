# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs for bench/causes/run: the web applications of its servers, and programs that make requests slow."""

PYTHON = """
import http.client, os, queue, random, psycopg2
cause, pool, own = "{cause}", queue.Queue(), None
def connect():
    db = psycopg2.connect(host="127.0.0.1", port={port}, user="postgres", dbname="postgres")
    db.autocommit = True
    return db
if cause == "connections":
    for _ in range(2):
        pool.put(connect())
def work(db, how):
    c = db.cursor()
    if how == "report":
        c.execute("select pg_sleep(0.03)")
    elif cause == "query":
        c.execute("select count(distinct md5(v::text)) from orders where customer = %s", (7 if how == "slow" else 60001,))
    elif cause == "lock":
        c.execute("update stock set n = n + 1 where id = %s", (1 if how == "slow" else random.randrange(2, 100),))
    elif cause == "disk" and how == "slow":
        c.execute("insert into log values (1)")
    else:
        c.execute("select n from stock where id = %s", (random.randrange(2, 100),))
    if cause == "upstream" and how == "slow":
        ask = http.client.HTTPConnection("127.0.0.1", {upstream})
        ask.request("GET", "/")
        ask.getresponse().read()
        ask.close()
def app(env, start):
    global own
    if cause == "connections":
        db = pool.get()
        try:
            work(db, env["QUERY_STRING"])
        finally:
            pool.put(db)
    else:
        own = own or connect()
        work(own, env["QUERY_STRING"])
    start("200 OK", [("Content-Length", "3")])
    return [b"ok\\n"]
"""

PHP = """<?php
$how = $_SERVER['QUERY_STRING'];
$cause = '{cause}';
$db = new mysqli('p:localhost', 'root', '', 'shop', 0, '{socket}');
if ($how == 'report')
  $db->query('select sleep(0.03)');
elseif ($cause == 'query')
  $db->query('select count(distinct md5(v)) from orders where customer = ' . ($how == 'slow' ? 7 : 60001));
elseif ($cause == 'lock')
  $db->query('update stock set v = v + 1 where id = ' . ($how == 'slow' ? 1 : rand(2, 99)));
elseif ($cause == 'disk' && $how == 'slow')
  $db->query('insert into log values (1)');
else
  $db->query('select v from stock where id = ' . rand(2, 99))->fetch_row();
if ($cause == 'upstream' && $how == 'slow')
  file_get_contents('http://127.0.0.1:{upstream}/');
echo "ok\\n";
"""

NODE = """
const http = require('http'), agent = new http.Agent({{ keepAlive: true }});
http.createServer((q, s) => http.get({{ host: '127.0.0.1', port: {port}, path: q.url, agent }}, r => {{
  r.resume(); r.on('end', () => {{ s.setHeader('Content-Length', 3); s.end('ok\\n'); }});
}})).listen({own}, '127.0.0.1');
"""

GO = """package main
import ("bufio"; "fmt"; "io"; "net"; "net/http"; "os"; "strconv"; "strings"; "sync"; "time")
type Db struct { c net.Conn; r *bufio.Reader }
func (d *Db) ask(q string) {
	fmt.Fprintf(d.c, "%s\\r\\n", q)
	line, err := d.r.ReadString('\\n')
	for n := 1; err == nil && n > 0; n-- {
		if line[0] == '*' { k, _ := strconv.Atoi(strings.TrimSpace(line[1:])); n += k }
		if line[0] == '$' { d.r.ReadString('\\n') }
		if n > 1 { line, err = d.r.ReadString('\\n') }
	}
}
func main() {
	cause, upstream := os.Args[3], os.Args[4]
	size := 8; if cause == "connections" { size = 2 }
	pool := make(chan *Db, size)
	for i := 0; i < size; i++ {
		c, err := net.Dial("tcp", os.Args[2]); if err != nil { panic(err) }
		pool <- &Db{c, bufio.NewReader(c)}
	}
	file, err := os.Create(os.Args[5]); if err != nil { panic(err) }
	var row sync.Mutex
	if cause == "lock" {
		go func() { for { row.Lock(); time.Sleep(40 * time.Millisecond); row.Unlock(); time.Sleep(10 * time.Millisecond) } }()
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		how := r.URL.RawQuery
		if cause == "lock" && how == "slow" { row.Lock(); row.Unlock() }
		if cause == "disk" && how == "slow" { file.WriteString("a line\\n"); file.Sync() }
		if cause == "upstream" && how == "slow" {
			if a, err := http.Get(upstream); err == nil { io.Copy(io.Discard, a.Body); a.Body.Close() }
		}
		db := <-pool
		q := "GET small"
		if cause == "query" && how == "slow" { q = "SORT big LIMIT 0 1" }
		if how == "report" { q = "BLPOP nothing 0.03" }
		db.ask(q)
		pool <- db
		w.Header().Set("Content-Length", "3"); fmt.Fprint(w, "ok\\n")
	})
	http.ListenAndServe(os.Args[1], nil)
}
"""

HOLDER_PYTHON = """
import time, psycopg2
db = psycopg2.connect(host="127.0.0.1", port=%d, user="postgres", dbname="postgres")
c = db.cursor()
open("/proc/self/comm", "w").write("stocktaking")
while True:
    c.execute("update stock set n = n + 1 where id = 1")
    time.sleep(0.04)
    db.commit()
    time.sleep(0.01)
"""

HOLDER_PHP = """<?php
$db = new mysqli('localhost', 'root', '', 'shop', 0, '%s');
file_put_contents('/proc/self/comm', 'stocktaking');
while (true) {
  $db->begin_transaction();
  $db->query('update stock set v = v + 1 where id = 1');
  usleep(40000);
  $db->commit();
  usleep(10000);
}
"""

# Sends bursts of 8 requests.
REPORTS = """
import http.client, socket, sys, threading, time
at, path, pause_ms = sys.argv[1], sys.argv[2], int(sys.argv[3])
def ask():
    c = http.client.HTTPConnection("127.0.0.1")
    if at.startswith("/"):
        c.sock = socket.socket(socket.AF_UNIX)
        c.sock.connect(at)
    else:
        c.sock = socket.create_connection(at.split(":"))
    c.request("GET", path + "?report")
    c.getresponse().read()
    c.close()
while True:
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    time.sleep(pause_ms / 1e3)
"""

HOG = """
import os, sys, time
open("/proc/self/comm", "w").write("batch")
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
while True:
    end = time.monotonic() + 0.04
    while time.monotonic() < end:
        pass
    time.sleep(int(sys.argv[1]) / 1e3)
"""

UPSTREAM = """
import http.server, time
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.03)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", %d), Answer).serve_forever()
"""

UPSTREAM_NODE = """
require('http').createServer((q, s) => setTimeout(() => s.end(), 30)).listen(%d, '127.0.0.1');
"""
