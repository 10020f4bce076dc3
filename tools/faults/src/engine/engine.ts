import type { Stored } from "../verify/stored.ts";

/** A database of the app: where it is, and how to read it. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Settings of the app that select the database. */
  readonly environment: Readonly<Record<string, string>>;
  /** Reads the database while no app runs. @throws when the database is damaged. */
  readStored(): Promise<Stored>;
  [Symbol.asyncDispose](): Promise<void>;
}
