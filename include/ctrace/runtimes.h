/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtimes.h - facts about the runtimes of other languages. Facts about glibc are in glibc.h. */
#ifndef CTRACE_RUNTIMES_H
#define CTRACE_RUNTIMES_H

/* HotSpot: a thread that enters a monitor ("synchronized") waits below a function with this prefix.
 * A thread in Object.wait() waits below this function only when it enters the monitor again.
 * src/hotspot/share/runtime/objectMonitor.cpp; JDK 11 to 21. */
#define HOTSPOT_LOCK_FUNCTION "ObjectMonitor::enter"

/* std::sync::Mutex and RwLock since Rust 1.62: parts of the name of the function that waits. Its source
 * is in library/std/src/sys/sync/, and in older versions in library/std/src/sys/unix/locks/. */
#define RUST_LOCK_MODULE "std::sys::"
#define RUST_RWLOCK_FUNCTIONS                                                                                \
	"RwLock::read_contended", "RwLock>::read_contended", "RwLock::write_contended",                      \
		"RwLock>::write_contended"
#define RUST_LOCK_FUNCTIONS "Mutex::lock_contended", "Mutex>::lock_contended", RUST_RWLOCK_FUNCTIONS

/* Channels of limited size: std::sync::mpsc::sync_channel() since Rust 1.67, and those of the crate
 * crossbeam-channel. A send waits below a function whose name has one of these parts, and then
 * RUST_CHANNEL_SEND. library/std/src/sync/mpmc/, and src/flavors/ of crossbeam-channel */
#define RUST_BOUNDED_CHANNELS                                                                                \
	"std::sync::mpmc::array::Channel<", "std::sync::mpmc::zero::Channel<",                               \
		"crossbeam_channel::flavors::array::Channel<", "crossbeam_channel::flavors::zero::Channel<"
#define RUST_CHANNEL_SEND ">::send"

#endif
