import { afterEach, expect } from "vitest";
import type { Storage } from "../../ports/storage.js";
import { createFixture, type Fixture } from "./fixture.js";

/** The storage of one test, and the helpers that the suite needs. */
export interface OpenedStorage {
  readonly storage: Storage;
  /** Sets the newest sequence of a vault without writing its history: 4 294 967 295 changes take too long. */
  setSequence(tenantId: string, vaultId: string, sequence: number): Promise<void>;
  /** Reopens the data of `storage`, which has been closed. */
  reopen(): Promise<Storage>;
}

/** Opens a new, empty storage. */
export type OpenStorage = () => Promise<OpenedStorage>;

export interface Harness {
  open(): Promise<OpenedStorage & Fixture>;
}

/** Creates a harness that opens storages for the tests of one `describe` and closes them after each test. */
export function createHarness(open: OpenStorage): Harness {
  const opened: Storage[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  return {
    async open() {
      const fresh = await open();
      opened.push(fresh.storage);
      return {
        ...fresh,
        ...createFixture(fresh.storage),
        async reopen() {
          const storage = await fresh.reopen();
          opened.push(storage);
          return storage;
        },
      };
    },
  };
}

/** Runs cases on one storage, because a storage takes long to open. Fails with the titles of all that fail. */
export async function runEvery<Case extends { readonly title: string }>(
  cases: readonly Case[],
  run: (each: Case) => Promise<void>,
): Promise<void> {
  const failures: string[] = [];
  for (const each of cases) {
    await run(each).catch(({ message }: Error) => failures.push(`${each.title}: ${message}`));
  }
  expect(failures).toEqual([]);
}
