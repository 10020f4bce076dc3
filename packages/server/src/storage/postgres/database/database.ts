import pg from "pg";
import type { StorageRecorder } from "../../figures.js";
import { endsConnection, type Failure, failureOf } from "./postgres-error.js";

/** The connections of a storage to its database. */
export interface Database {
  /**
   * Runs one statement, outside of a transaction block, and returns the only column of its only row.
   *
   * @throws StatementError
   */
  readonly call: (sql: string, ...values: readonly unknown[]) => Promise<unknown>;
  readonly withClient: <T>(work: (client: pg.ClientBase) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** Calls a function of the database, and returns its result. @throws StorageError */
export type CallFunction = <Result>(sql: string, ...values: readonly unknown[]) => Promise<Result>;

/** Thrown when a statement failed. The cause is the driver's error. */
export class StatementError extends Error {
  override readonly name = "StatementError";

  constructor(
    readonly failure: Failure,
    override readonly cause: unknown,
  ) {
    super(`A statement failed: ${failure}`, { cause });
  }
}

export interface DatabaseOptions {
  /** Is notified when the use of the connections changes. Default: none. */
  readonly recorder?: Pick<StorageRecorder, "connections">;
  readonly url: string;
  readonly connections: number;
  /** In milliseconds. */
  readonly timeout: number;
  /** Is notified when a connection was opened. Default: none. */
  readonly connected?: () => void;
  /** How PostgreSQL lists the connections. Default: `platform`, as for every process that uses the database. */
  readonly name?: string;
}

/** Opens a pool of connections. Connects when the first statement runs. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, connections, timeout, recorder, connected, name = "platform" } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeout,
    // A connection whose other end has vanished ends here, not when the operating system gives up.
    query_timeout: timeout,
    keepAlive: true,
    application_name: name,
  });
  // An idle connection that ends is replaced when it is needed.
  pool.on("error", () => {});
  // The pool listens to idle connections only. Without a listener, the end of one that is in use would end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
    connected?.();
  });

  const record = (): void => {
    const { totalCount, idleCount: idle, waitingCount: pending } = pool;
    recorder?.connections({ used: totalCount - idle, idle, pending });
  };
  pool.on("remove", record);

  const connect = async (): Promise<pg.PoolClient> => {
    try {
      // Throws if the URL names a file that cannot be read, such as a certificate.
      const connecting = pool.connect();
      record();
      return await connecting;
    } catch (error) {
      throw new StatementError(failureOf(error, false), error);
    } finally {
      record();
    }
  };

  const withClient: Database["withClient"] = async (work) => {
    const client = await connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(endsConnection(error));
      throw new StatementError(failureOf(error, true), error);
    } finally {
      record();
    }
  };

  return {
    withClient,
    call: (sql, ...values) =>
      withClient(async (client) => {
        const { rows } = await client.query<[unknown]>({ text: sql, values: [...values], rowMode: "array" });
        return rows[0]?.[0];
      }),
    close: () => pool.end(),
  };
}
