# SPDX-License-Identifier: GPL-2.0-or-later
"""gdbus calls a D-Bus service in Python, which calls a service in Perl, which calls the one in Python again. Both have
one thread, and wait for each other's answer."""
import os

from scene import Missing

HELD_OUT = False
NEEDS = {"dbus-daemon": "dbus-daemon", "gdbus": "libglib2.0-bin", "busctl": "systemd", "perl": "perl"}
PARTS = ["/usr/lib/python3/dist-packages/dbus/__init__.py", "/usr/lib/python3/dist-packages/gi/__init__.py"]

SHOP = """
import dbus, dbus.service, dbus.mainloop.glib
from gi.repository import GLib
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName("org.example.Shop", bus)
class Shop(dbus.service.Object):
    @dbus.service.method("org.example.Shop", in_signature="s", out_signature="s")
    def Price(self, thing):
        stock = bus.get_object("org.example.Stock", "/stock", introspect=False)
        try:
            n = stock.Left(thing, dbus_interface="org.example.Stock", timeout=90)
        except dbus.DBusException as e:
            print("no answer:", e.get_dbus_name(), flush=True)
            n = "unknown"
        return "7 euros, stock: %s" % n
    @dbus.service.method("org.example.Shop", in_signature="s", out_signature="i")
    def Reserved(self, thing):
        return 2
shop = Shop(bus, "/shop")
print("ready", flush=True)
GLib.MainLoop().run()
"""
STOCK = """
package Stock;
use base qw(Net::DBus::Object);
use Net::DBus::Exporter qw(org.example.Stock);
dbus_method("Left", ["string"], ["string"]);
sub new { my ($class, $service) = @_; return bless $class->SUPER::new($service, "/stock"), $class }
sub Left {
    my ($self, $thing) = @_;
    return "3" if $thing eq "pen";
    print "asks for $thing\\n";
    my $shop = $main::bus->get_service("org.example.Shop")->get_object("/shop", "org.example.Shop");
    return 5 - $shop->Reserved($thing);
}
package main;
use Net::DBus;
use Net::DBus::Reactor;
$| = 1;
our $bus = Net::DBus->session;
my $stock = Stock->new($bus->export_service("org.example.Stock"));
print "ready\\n";
Net::DBus::Reactor->main->run;
"""


def play(s):
    if not all(map(os.path.exists, PARTS)) or os.system("perl -MNet::DBus -e 1 2>/dev/null"):
        raise Missing("packages python3-dbus, python3-gi, libnet-dbus-perl")
    for name, text in ("shop.py", SHOP), ("stock.pl", STOCK):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    address = "unix:path=" + s.path("bus")
    env = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address], env=env)
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))
    s.start("shop", ["/usr/bin/python3", "shop.py"], env=env)
    stock = s.start("stock", ["perl", "stock.pl"], env=env)
    for name in "shop", "stock":
        s.wait("%s is ready" % name, lambda name=name: "ready" in s.output(name))

    def call(thing):
        return ["gdbus", "call", "--session", "--timeout", "100", "-d", "org.example.Shop", "-o", "/shop", "-m",
                "org.example.Shop.Price", thing]

    s.check("both services answer", s.out(["env", "DBUS_SESSION_BUS_ADDRESS=" + address, *call("pen")]) ==
            "('7 euros, stock: 3',)")
    s.start("bystander", ["gdbus", "monitor", "--session", "-d", "org.example.Shop"], env=env)

    s.begin()
    victim = s.start("victim", call("ink"), env=env)
    s.wait("the stock asks the shop", lambda: "asks for ink" in s.output("stock"))
    s.during("the stock asked, and the shop has no answer", lambda: s.output("stock") == "ready\nasks for ink\n" and
             s.output("shop") == "ready\n" and s.output("victim") == "")
    s.during("both services wait", lambda: all(s.state(x) == "S" and s.syscall(x) in ("poll", "ppoll")
                                               for x in ("shop", "stock")))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the bus serves", lambda: "Shop" in s.out(["busctl", "--address=" + address, "list", "--no-pager"]))
    s.hang(victim="victim", culprits=["shop", "stock"], causes=["circular-wait"], wrong=["bus", "bystander", "test"])
    yield
    stock.kill()
    s.ended("victim")
    s.check("the shop did without the stock", "stock: unknown" in s.output("victim") and "NoReply" in s.output("shop"))
