import type { TcpProxy } from "../network/proxy.ts";
import type { PatroniCluster } from "../patroni/start-cluster.ts";
import type { Stored } from "../verify/stored.ts";

/** A database of the app: where it is, and how to read it. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Settings of the app that select the database. */
  readonly environment: Readonly<Record<string, string>>;
  /** The server of PostgreSQL, unless it is a cluster. */
  readonly postgres?: PostgresControl;
  /** The cluster of PostgreSQL. */
  readonly cluster?: PatroniCluster;
  /** Reads the database while no app runs. @throws when the database is damaged. */
  readStored(): Promise<Stored>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How PostgreSQL runs. */
export type PostgresServer = "alone" | "with standby" | "patroni";

/** What faults do to a PostgreSQL server. */
export interface PostgresControl {
  /** The network between the app and the server. */
  readonly network: TcpProxy;
  /** Ends all processes of the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  start(): Promise<void>;
  /** Kills the server, promotes its standby, and points the network to the standby. */
  failOver(): Promise<void>;
}
