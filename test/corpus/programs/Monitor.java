// SPDX-License-Identifier: GPL-2.0-or-later
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Two threads of a Java program, the second of which wants a monitor that the first one holds while it sleeps. */
public class Monitor {
	private static void tell(String name) throws IOException {
		long pid = ProcessHandle.current().pid();

		try (var tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
			for (Path task : tasks)
				if (Files.readString(task.resolve("comm")).strip().equals(name))
					System.out.println("role." + name + "=" + pid + "/" + task.getFileName()
							   + (name.equals("victim") ? "\nvictim_pid=" + pid + "\nvictim_tid=" + task.getFileName() : ""));
		}
	}

	public static void main(String[] args) throws Exception {
		Object monitor = new Object();
		Thread holder = new Thread(() -> {
			synchronized (monitor) {
				try {
					Thread.sleep(2500);
				} catch (InterruptedException e) {
				}
			}
		}, "holder");
		Thread victim = new Thread(() -> {
			synchronized (monitor) {
			}
		}, "victim");

		holder.start();
		Thread.sleep(300);
		long begin = System.nanoTime();
		victim.start();
		Thread.sleep(300);
		tell("victim");
		tell("holder");
		victim.join();
		System.out.println("t_start_ns=" + begin + "\nt_end_ns=" + System.nanoTime());
	}
}
