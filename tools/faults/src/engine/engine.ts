import type { TcpProxy } from "@platform-rpc/testbed/network";
import type { PatroniCluster } from "@platform-rpc/testbed/patroni";
import type { PgBouncer } from "@platform-rpc/testbed/pgbouncer";
import type { TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import type { Stored } from "../history/stored.ts";
import type { Disk } from "./disk.ts";

/** A database of the app: where it is, and how to read it. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Settings of the app that select the database. */
  readonly environment: Readonly<Record<string, string>>;
  /** The server of PostgreSQL, unless it is a cluster. */
  readonly postgres?: PostgresControl;
  /** The cluster of PostgreSQL. */
  readonly cluster?: PatroniCluster;
  /** The disk of the database, if it was created with one that can be filled. */
  readonly disk?: Disk | undefined;
  /** Reads the database while no app runs. @throws when the database is damaged. */
  readStored(): Promise<Stored>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a fault needs of a database. */
export interface EngineOptions {
  /** The server of PostgreSQL: alone, with a synchronous or an asynchronous standby, or a Patroni cluster. Default: alone. */
  readonly server?: "alone" | "with standby" | "with asynchronous standby" | "patroni";
  /** Whether PgBouncer, in transaction mode, is in front of the server. Default: false. */
  readonly pooler?: boolean;
  /** Whether the database has a disk that can be filled. Default: false. */
  readonly smallDisk?: boolean;
  /** A command, with arguments, that executes the server of PostgreSQL. Default: none. */
  readonly under?: readonly string[];
}

/** What faults do to a PostgreSQL server. */
export interface PostgresControl extends Pick<TemporaryPostgres, "kill" | "signal" | "start"> {
  /** The network between the app and the server. */
  readonly network: TcpProxy;
  /** PgBouncer between the network and the server, if the server was created with it. */
  readonly pooler?: PgBouncer | undefined;
  /** Reads the server's wall clock, in milliseconds since the epoch. */
  clock(): Promise<number>;
  /** Cuts the standby off once it has every change until now. The server does not wait for an asynchronous one. */
  cutReplication(): Promise<void>;
  /** Kills the server, promotes its standby, and points the network to the standby. */
  failOver(): Promise<void>;
}
