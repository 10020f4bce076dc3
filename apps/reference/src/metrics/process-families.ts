import { readdirSync, statfsSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import type { NumberFamily } from "./exposition.js";

/** Returns what the process and its machine use. The names without `platform_` are those of Prometheus's own clients. */
export function processFamilies({
  dataDir,
  openFileLimit,
}: {
  dataDir: string;
  openFileLimit: number;
}): NumberFamily[] {
  const { user, system } = process.cpuUsage();
  const { bavail, blocks, bsize } = statfsSync(dataDir);
  return [
    counter("process_cpu_seconds_total", "CPU time of all threads.", (user + system) / 1e6),
    gauge("process_start_time_seconds", "Start of the process, since the epoch.", performance.timeOrigin / 1000),
    gauge("process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss()),
    ...openFiles(openFileLimit),
    gauge("nodejs_heap_used_bytes", "Used heap of the main thread.", getHeapStatistics().used_heap_size),
    gauge("platform_data_dir_free_bytes", "Free space on the disk of DATA_DIR.", bavail * bsize),
    gauge("platform_data_dir_size_bytes", "Size of the disk of DATA_DIR.", blocks * bsize),
  ];
}

/** Only Linux lists the open files. */
function openFiles(limit: number): NumberFamily[] {
  try {
    return [
      gauge("process_open_fds", "Open file descriptors.", readdirSync("/proc/self/fd").length),
      gauge("process_max_fds", "Limit of open file descriptors.", limit),
    ];
  } catch {
    return [];
  }
}

export function gauge(name: string, help: string, value: number): NumberFamily {
  return { type: "gauge", name, help, samples: [{ value }] };
}

export function counter(name: string, help: string, value: number): NumberFamily {
  return { type: "counter", name, help, samples: [{ value }] };
}
