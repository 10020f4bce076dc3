import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The resources of a process at one moment. */
export interface Resources {
  /** The resident memory that belongs to this process alone, in MiB: without files that it maps. */
  readonly memory: number;
  readonly descriptors: number;
  /** The descriptors that are sockets. */
  readonly connections: number;
}

/** Reads the resources of a process from /proc (Linux). */
export function readResources(pid: number): Resources {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? [];
  const descriptors = readdirSync(`/proc/${pid}/fd`);
  return {
    memory: Number(kibibytes) / 1024,
    descriptors: descriptors.length,
    connections: descriptors.filter((name) => isSocket(`/proc/${pid}/fd/${name}`)).length,
  };
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    // The descriptor was closed in the meantime.
    return false;
  }
}
