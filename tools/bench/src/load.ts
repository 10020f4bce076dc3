import { connect, type Socket } from "node:net";

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Stops after this many milliseconds. */
  readonly durationMs: number;
  /** Returns the bytes of the next HTTP/1.1 request; undefined stops the connection. */
  readonly next: () => Buffer | undefined;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** The latencies in milliseconds, sorted. */
  readonly latencies: Float64Array;
}

/**
 * Sends requests on `connections` sockets, one in flight on each. It uses no HTTP client, because that would need more CPU
 * than the measured servers. Every response must be a 200.
 */
export async function runLoad({ port, connections, durationMs, next }: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + durationMs;
  // The loader never sleeps: the server that writes to a sleeping loader would pay for its wake-up, and a faster server
  // would pay less often.
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
      // Latin-1 maps each byte to one character, so lengths are those on the wire.
      pending += chunk.toString("latin1");
      const size = answerSize(pending);
      if (size === undefined || pending.length < size) return;
      if (!pending.startsWith("HTTP/1.1 200")) {
        reject(new Error(`the server under load answered ${pending.slice(0, 600)}`));
        socket.destroy();
        return;
      }
      pending = pending.slice(size);
      // The first call is not counted: it includes the time until the server accepts the connection.
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

/** Returns the quantile of sorted values, with `share` between 0 and 1. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}
