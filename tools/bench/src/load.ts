import { connect, type Socket } from "node:net";

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Stops after so many milliseconds… */
  readonly durationMs: number;
  /** …or when it has nothing more to send. Each request is the bytes of one HTTP/1.1 request. */
  readonly next: () => Buffer | undefined;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds, sorted. */
  readonly latencies: Float64Array;
}

/**
 * Keeps `connections` busy, one request in flight on each, straight on sockets: a full HTTP client would need more CPU
 * than the servers that are measured. Every answer must be a 200.
 */
export async function runLoad({ port, connections, durationMs, next }: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + durationMs;
  // The loader never sleeps: waking it up would be on the bill of the server that writes to it, and the faster the server
  // the less often that would happen.
  let spinning = true;
  const spin = () => {
    if (spinning) setImmediate(spin);
  };
  spin();
  await Promise.all(Array.from({ length: connections }, () => keepBusy(port, until, next, latencies)));
  spinning = false;
  const seconds = (performance.now() - startedAt) / 1000;
  return { requests: latencies.length, seconds, latencies: Float64Array.from(latencies).sort() };
}

function keepBusy(port: number, until: number, next: Load["next"], latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let sentAt = 0;
    let pending = "";
    let accepted = false;
    const send = () => {
      const request = performance.now() < until ? next() : undefined;
      if (request === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      // Latin-1 keeps one character a byte, so lengths are those on the wire.
      pending += chunk.toString("latin1");
      const size = answerSize(pending);
      if (size === undefined || pending.length < size) return;
      if (!pending.startsWith("HTTP/1.1 200")) {
        reject(new Error(`the server under load answered ${pending.slice(0, 600)}`));
        socket.destroy();
        return;
      }
      pending = pending.slice(size);
      // The first call of a connection waits for its acceptance, with all the others that were opened at the same moment.
      if (accepted) latencies.push(performance.now() - sentAt);
      accepted = true;
      send();
    });
  });
}

function answerSize(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return undefined;
  const at = text.toLowerCase().indexOf("content-length: ");
  return head + 4 + Number.parseInt(text.slice(at + 16, at + 26), 10);
}

/** The value below which `share` of the sorted values lie. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}
