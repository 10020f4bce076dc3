import { type Connection, openConnection } from "./connection.ts";

/** Returns the bytes of the next request of a connection, which has received the response to its request before. */
export type NextRequest = (previous: Buffer | undefined) => Buffer | Promise<Buffer>;

export interface Load {
  readonly connections: number;
  /** The number of measured requests, on all connections together. */
  readonly requests: number;
  readonly next: NextRequest;
  /** Whether the load sleeps while it waits for responses. Default: false. For servers that share their cores with the load. */
  readonly sleeps?: boolean;
}

export interface LoadResult {
  readonly seconds: number;
  /** The latencies in milliseconds, sorted. */
  readonly latencies: Float64Array;
}

/**
 * Sends the requests of a load, one in flight on each connection. Each response must be a 200. Sends one more request on each
 * connection before the measurement, so that accepting the connections is not measured.
 *
 * @param started called before the measurement.
 */
export async function runLoad(
  port: number,
  { connections, requests, next, sleeps = false }: Load,
  started: () => Promise<void>,
): Promise<LoadResult> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const opened = await Promise.race([failed, openAll()]);
  try {
    const first = opened.map(async (connection) => call(connection, await next(undefined)));
    const responses = await Promise.race([failed, Promise.all(first)]);
    await started();
    return await Promise.race([failed, measure(responses)]);
  } finally {
    for (const connection of opened) connection.close();
  }

  function openAll(): Promise<Connection[]> {
    return Promise.all(Array.from({ length: connections }, () => openConnection(port, fail)));
  }

  async function measure(responses: readonly Buffer[]): Promise<LoadResult> {
    const latencies = new Float64Array(requests);
    const startedAt = performance.now();
    const stopSpinning = sleeps ? () => {} : spin();
    let sent = 0;
    await Promise.all(
      opened.map(async (connection, at) => {
        let response = responses[at];
        while (sent < requests) {
          const index = sent++;
          const bytes = await next(response);
          const sentAt = performance.now();
          response = await call(connection, bytes);
          latencies[index] = performance.now() - sentAt;
        }
      }),
    );
    stopSpinning();
    return { seconds: (performance.now() - startedAt) / 1000, latencies: latencies.sort() };
  }
}

function call(connection: Connection, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    connection.send(request, (response) => {
      if (response.toString("latin1", 0, 12) === "HTTP/1.1 200") resolve(response);
      else reject(new Error(`The server under load did not answer with 200:\n${response.toString("latin1", 0, 600)}`));
    });
  });
}

/**
 * Keeps this process from sleeping. Waking a sleeping process takes CPU time of the server that writes to it, and a fast server
 * would find it asleep less often.
 */
function spin(): () => void {
  let spinning = true;
  const again = () => {
    if (spinning) setImmediate(again);
  };
  again();
  return () => {
    spinning = false;
  };
}
