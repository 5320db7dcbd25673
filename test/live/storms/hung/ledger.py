#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ledger.py DATABASE SECONDS: keeps a transaction open while it sleeps. When it has the lock of the database, it
prints root=TID and "hung"."""
import os
import sqlite3
import sys
import time

db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("create table if not exists ledger (amount)")
db.execute("begin exclusive")
print("root=%d\nhung" % os.getpid(), flush=True)
time.sleep(float(sys.argv[2]))
db.execute("commit")
time.sleep(600)
