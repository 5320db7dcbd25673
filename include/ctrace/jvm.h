/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jvm.h - the only place for facts about the memory of HotSpot, the usual Java virtual machine. The facts
 * about monitors hold for JDK 11 to 25 on 64-bit Linux. Those about locks of java.util.concurrent hold for
 * JDK 16 to 25 with classes of 4 bytes (the default), without compact object headers, and not with a
 * generational ZGC. HotSpot describes its own structures in a table, for debuggers:
 * src/hotspot/share/runtime/vmStructs.cpp. So the places of the members are read from the running program.
 */
#ifndef CTRACE_JVM_H
#define CTRACE_JVM_H

/* The file that has HotSpot. */
#define JVM_FILE "libjvm.so"

/* The table of the members. Each of these variables of JVM_FILE has 8 bytes: the address of the first entry,
 * the size of an entry, and the offsets of the members of an entry. */
#define JVM_TABLE         "gHotSpotVMStructs"
#define JVM_ENTRY_SIZE    "gHotSpotVMStructEntryArrayStride"
#define JVM_ENTRY_TYPE    "gHotSpotVMStructEntryTypeNameOffset"  /* char *; NULL: the end of the table */
#define JVM_ENTRY_NAME    "gHotSpotVMStructEntryFieldNameOffset" /* char * */
#define JVM_ENTRY_STATIC  "gHotSpotVMStructEntryIsStaticOffset"  /* int32_t: a global variable */
#define JVM_ENTRY_OFFSET  "gHotSpotVMStructEntryOffsetOffset"    /* uint64_t: of a member in its structure */
#define JVM_ENTRY_ADDRESS "gHotSpotVMStructEntryAddressOffset"   /* void *: of a global variable */

/*
 * ObjectMonitor::_owner. Before JDK 24: the address of the owner's JavaThread, or an address on its stack.
 * Since JDK 24: JavaThread::_monitor_owner_id of the owner. JVM_ANONYMOUS: the owner is the thread whose
 * LockStack has the object of the monitor.
 * src/hotspot/share/runtime/objectMonitor.hpp and lockStack.hpp
 */
#define JVM_ANONYMOUS 1

/* An object that was moved has these bits in its first byte. src/hotspot/share/oops/markWord.hpp */
#define JVM_FORWARDED 3

/* A thread waits in pthread_cond_wait() until it is unparked. With glibc, this is FUTEX_WAIT_BITSET, or
 * before version 2.33 FUTEX_WAIT with this expected value. A thread that waits for the end of a safepoint
 * uses FUTEX_WAIT with another value (src/hotspot/os/linux/waitBarrier_linux.cpp). With musl, both are alike,
 * so no lock of java.util.concurrent is found. */
#define JVM_FUTEX_VALUE 0

/*
 * While a thread waits for one of these, its Thread.parkBlocker refers to an object of this class, or of a
 * class below it:
 * - ReentrantLock. The only reference of the object to a Thread is exclusiveOwnerThread, the owner.
 * - ReentrantReadWriteLock. Its first member is exclusiveOwnerThread, the thread that owns the lock to write:
 *   HotSpot places the members of a class behind those of the classes above it, and the uppermost class,
 *   AbstractOwnableSynchronizer, has only this one. Another member, firstReader, is one of perhaps several
 *   threads that own the lock to read. No further member refers to a thread. A thread that owns the lock to
 *   read gets it to read again at once, so if the firstReader waits, it waits to own the lock to write. It
 *   never gets it while it is a reader itself.
 * - FutureTask, as made by an ExecutorService. Its only reference to a Thread is `runner`, the thread that
 *   runs it. It is null before the start and after the end.
 * src/java.base/share/classes/java/util/concurrent/
 */
#define JVM_LOCK       "java/util/concurrent/locks/ReentrantLock$Sync"
#define JVM_WRITE_LOCK "java/util/concurrent/locks/ReentrantReadWriteLock$Sync"
#define JVM_FUTURE     "java/util/concurrent/FutureTask"
/* The class of threads, or of classes above their own. Of the members of this class, only parkBlocker refers
 * to an object of the classes above. Exception: `target` may be the FutureTask that the thread itself runs.
 */
#define JVM_THREAD "java/lang/Thread"

/*
 * A class is initialized by one thread, and all other threads that need the class wait for it. The thread
 * that waits does so in JVM_CLASS_FUNCTION, by one of JVM_CLASS_WAITS. The thread that initializes the class
 * runs its code below JVM_CLASS_RUNS. src/hotspot/share/oops/instanceKlass.cpp of JDK 17
 */
#define JVM_CLASS_FUNCTION "InstanceKlass::initialize_impl"
#define JVM_CLASS_RUNS     "InstanceKlass::call_class_initializer"
#define JVM_CLASS_WAITS    "ObjectMonitor::wait", "ObjectSynchronizer::waitUninterruptibly"

/*
 * A thread that waits for the monitor of an object (synchronized) is in one of JVM_MONITOR_ENTERS. It looks
 * again at most every second. src/hotspot/share/runtime/objectMonitor.cpp of JDK 11 to 25
 * A thread in Thread.sleep() is in one of JVM_SLEEPS. It waits on a futex with a time limit.
 * src/hotspot/share/prims/jvm.cpp
 */
#define JVM_MONITOR_ENTERS "ObjectMonitor::enter", "ObjectMonitor::enter_with_contention_mark"
#define JVM_SLEEPS         "JVM_Sleep", "JVM_SleepNanos"

#endif
