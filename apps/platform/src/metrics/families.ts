import { readdirSync, statfsSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import type { Histogram, JobLag, StorageFigures, TokenLookup } from "@platform-rpc/server/host";
import type { LineWriterState } from "../process/line-writer.js";
import type { CallFigures } from "./call-figures.js";
import type { Family, HistogramFamily, NumberFamily } from "./exposition.js";
import type { JobFigures } from "./job-figures.js";

export interface PlatformState {
  readonly version: string;
  readonly cell: string | undefined;
  readonly ready: boolean;
  readonly draining: boolean;
  /** Whether nothing is served, because the database is older than before, or another one. */
  readonly databaseReplaced: boolean;
  readonly clockTrusted: boolean;
  /** The seconds since the keys were last loaded. */
  readonly keysAge: number;
  readonly jobLag: readonly JobLag[];
  /** The open connections, by listener. */
  readonly connections: NumberFamily["samples"];
  /** The admitted calls of the public listener without a response. */
  readonly callsInFlight: number;
  readonly storage: StorageFigures;
  readonly lookups: Readonly<Record<TokenLookup, number>>;
  /** How late the event loop runs a timer, in seconds. */
  readonly lag: Histogram;
  readonly jobs: readonly JobFigures[];
  readonly log: LineWriterState;
}

/** Returns the rate, the errors and the durations of the requests of listeners, by operation. */
export function callFamilies(listeners: readonly CallFigures[]): Family[] {
  return [
    counter(
      "platform_calls_total",
      "Requests that have ended, by operation and reason. OK is a success.",
      listeners.flatMap((figures) => figures.calls()),
    ),
    histogram(
      "platform_call_duration_seconds",
      "Time from the head of a request to the decision on its response.",
      ...listeners.flatMap((figures) => figures.durations()),
    ),
  ];
}

export function platformFamilies(state: PlatformState): Family[] {
  const { version, cell, storage, log } = state;
  return [
    gauge(
      "platform_build_info",
      "Always 1. The labels are the versions of the server and of Node, and the cell of the process, if it has one.",
      [{ labels: { version, node: process.version, ...(cell !== undefined && { cell }) }, value: 1 }],
    ),
    gauge("platform_ready", "1 if the readiness document is 200.", Number(state.ready)),
    gauge("platform_draining", "1 if the process is stopping.", Number(state.draining)),
    gauge(
      "platform_database_replaced",
      "1 if nothing is served, because the database is older than before, or another one.",
      Number(state.databaseReplaced),
    ),
    gauge(
      "platform_clock_trusted",
      "0 while shredding, purging and key rotation are paused.",
      Number(state.clockTrusted),
    ),
    gauge("platform_keys_age_seconds", "Time since the keys were last loaded.", state.keysAge),
    gauge("platform_connections", "Open connections of each listener.", state.connections),
    gauge("platform_calls_in_flight", "Admitted calls of the public listener without a response.", state.callsInFlight),
    gauge("platform_storage_queued_calls", "Calls that wait for a batch.", storage.queued),
    histogram("platform_storage_batch_calls", "Calls in each batch.", storage.batchCalls),
    histogram("platform_storage_commit_duration_seconds", "Time of each batch with writes.", storage.commitSeconds),
    histogram(
      "platform_storage_checkpoint_duration_seconds",
      "Time of each checkpoint on SQLite.",
      storage.checkpointSeconds,
    ),
    counter("platform_storage_failed_batches_total", "Batches that could not be committed.", storage.failedBatches),
    gauge(
      "platform_storage_connections",
      "Connections to PostgreSQL: used, or idle.",
      (["used", "idle"] as const).map((state) => ({ labels: { state }, value: storage.connections[state] })),
    ),
    gauge(
      "platform_storage_pending_statements",
      "Statements that wait for a connection to PostgreSQL.",
      storage.connections.pending,
    ),
    counter(
      "platform_token_lookups_total",
      "Tokens looked up in the cache: hit, joined to a lookup that had begun, or miss.",
      Object.entries(state.lookups).map(([result, value]) => ({ labels: { result }, value })),
    ),
    histogram("platform_event_loop_lag_seconds", "How late the event loop runs a timer.", state.lag),
    counter("platform_log_dropped_lines_total", "Lines of the log that were dropped.", log.droppedLines),
    gauge("platform_log_failing", "1 while the log cannot be written.", Number(log.error !== undefined)),
    ...jobFamilies(state.jobs),
    gauge(
      "platform_job_lag_seconds",
      "For how long the oldest work of a job has been due, measured every minute.",
      state.jobLag.map(({ job, seconds }) => ({ labels: { job_name: job }, value: seconds })),
    ),
  ];
}

function jobFamilies(jobs: readonly JobFigures[]): Family[] {
  return [
    counter(
      "platform_job_runs_total",
      "Runs of each job, by result.",
      jobs.flatMap(({ job, succeeded, failed }) => [
        { labels: { job_name: job, result: "succeeded" }, value: succeeded },
        { labels: { job_name: job, result: "failed" }, value: failed },
      ]),
    ),
    counter(
      "platform_job_seconds_total",
      "Time of all runs of each job.",
      jobs.map(({ job, seconds }) => ({ labels: { job_name: job }, value: seconds })),
    ),
    gauge(
      "platform_job_succeeded_timestamp_seconds",
      "When a run of each job last succeeded.",
      jobs.map(({ job, succeededAt }) => ({ labels: { job_name: job }, value: succeededAt })),
    ),
  ];
}

function histogram(name: string, help: string, ...samples: HistogramFamily["samples"]): Family {
  return { type: "histogram", name, help, samples };
}

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

/** One value, or those of labels. */
type Values = number | NumberFamily["samples"];

const samplesOf = (values: Values) => (typeof values === "number" ? [{ value: values }] : values);

function gauge(name: string, help: string, values: Values): NumberFamily {
  return { type: "gauge", name, help, samples: samplesOf(values) };
}

function counter(name: string, help: string, values: Values): NumberFamily {
  return { type: "counter", name, help, samples: samplesOf(values) };
}
