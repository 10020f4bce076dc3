import type { CellRouter } from "@platform-rpc/testbed/haproxy";
import type { TcpProxy } from "@platform-rpc/testbed/network";
import type { PatroniCluster } from "@platform-rpc/testbed/patroni";
import type { PgBouncer } from "@platform-rpc/testbed/pgbouncer";
import type { TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import type { RunningProgram } from "@platform-rpc/testbed/processes";
import type { Stored } from "../history/stored.ts";
import type { Target } from "../load/plan.ts";
import type { Disk } from "./disk.ts";

/** A database of the app: where it is, and how to read it. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Returns the settings that select the database of a process of the app, by its number. */
  environmentOf(process: number): Readonly<Record<string, string>>;
  /** The server of PostgreSQL, unless it is a cluster. */
  readonly postgres?: PostgresControl;
  /** The cluster of PostgreSQL. */
  readonly cluster?: PatroniCluster;
  /** Two cells, of which the first serves the tenant of the load, and the router in front of them. */
  readonly cells?: CellsControl;
  /** The disk of the database, if it was created with one that can be filled. */
  readonly disk?: Disk | undefined;
  /** Reads the database while no app runs. @throws when the database is damaged. */
  readStored(): Promise<Stored>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a fault needs of a database. */
export interface EngineOptions {
  /**
   * The server of PostgreSQL: alone, with a synchronous or an asynchronous standby, or a Patroni cluster. Or two servers, each of which is
   * the database of a cell, with HAProxy in front. Default: alone.
   */
  readonly server?: "alone" | "with standby" | "with asynchronous standby" | "patroni" | "cells";
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

/** A database of the app that serves the tenants that are assigned to it. */
export interface Cell {
  readonly name: string;
  readonly postgres: Pick<TemporaryPostgres, "kill" | "start" | "url">;
  /** The disk of its database, if it was created with one that can be filled. */
  readonly disk: Disk | undefined;
  /** A tenant that stays in this cell. */
  readonly neighbour: string;
}

/** What faults do to two cells and to the router in front of them. */
export interface CellsControl {
  readonly both: readonly [Cell, Cell];
  /** Returns the cell of a process of the app, by its number. */
  cellOf(process: number): Cell;
  /** Starts the router in front of the processes of the app, and returns where callers reach each process. */
  lead(targets: readonly Target[]): Promise<readonly Target[]>;
  router(): CellRouter;
  /** Starts the command that moves the tenant of the load. */
  move(from: Cell, to: Cell): RunningProgram;
  /** Starts the command that removes what the tenant has left behind. */
  removeMoved(from: Cell): RunningProgram;
}
