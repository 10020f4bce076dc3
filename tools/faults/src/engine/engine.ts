import type { CellRouter } from "@platform-rpc/testbed/haproxy";
import type { TcpProxy } from "@platform-rpc/testbed/network";
import type { PgBouncer } from "@platform-rpc/testbed/pgbouncer";
import type { TemporaryPostgres } from "@platform-rpc/testbed/postgres";
import type { RunningProgram } from "@platform-rpc/testbed/processes";
import type { Stored } from "../history/history-file.ts";
import type { Target } from "../load/plan.ts";
import type { Disk } from "./disk.ts";

export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Returns the settings that select the database of a process of the app, by its number. */
  environmentOf(process: number): Readonly<Record<string, string>>;
  readonly postgres?: PostgresControl;
  /** Two cells, of which the first serves the tenant of the load, and the router in front of them. */
  readonly cells?: CellsControl;
  /** The disk of the database, if it was created with one that can be filled. */
  readonly disk?: Disk | undefined;
  /** Reads the database while no app runs. @throws when the database is damaged. */
  readStored(): Promise<Stored>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface EngineOptions {
  /**
   * The server of PostgreSQL: alone, or with a synchronous or an asynchronous standby. Or two servers, each of which is the database of a
   * cell, with HAProxy in front. Default: alone.
   */
  readonly server?: "alone" | "with standby" | "with asynchronous standby" | "cells";
  /** Whether PgBouncer, in transaction mode, is in front of the server. Default: false. */
  readonly pooler?: boolean;
  /** Whether the database has a disk that can be filled. Default: false. */
  readonly smallDisk?: boolean;
  /** A command, with arguments, that executes the server of PostgreSQL. Default: none. */
  readonly under?: readonly string[];
}

export interface PostgresControl extends Pick<TemporaryPostgres, "kill" | "signal" | "start"> {
  readonly network: TcpProxy;
  /** PgBouncer between the network and the server, if the server was created with it. */
  readonly pooler?: PgBouncer | undefined;
  /** Reads the server's wall clock, in milliseconds since the epoch. */
  clock(): Promise<number>;
  /** Cuts the standby off once it has every change until now. The server does not wait for an asynchronous one. */
  cutReplication(): Promise<void>;
  failOver(): Promise<void>;
}

export interface Cell {
  readonly name: string;
  readonly postgres: Pick<TemporaryPostgres, "kill" | "start" | "url">;
  readonly disk: Disk | undefined;
}

export interface CellsControl {
  readonly both: readonly [Cell, Cell];
  cellOf(process: number): Cell;
  /** Starts the router in front of the processes of the app, and returns where callers reach each process. */
  lead(targets: readonly Target[]): Promise<readonly Target[]>;
  router(): CellRouter;
  move(from: Cell, to: Cell): RunningProgram;
  removeMoved(from: Cell): RunningProgram;
}
