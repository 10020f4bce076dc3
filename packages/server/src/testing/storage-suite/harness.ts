import { afterEach } from "vitest";
import type { Storage } from "../../ports/storage.js";
import { createFixture, type Fixture } from "./fixture.js";

/** A storage under test, and what the suite needs beside it. */
export interface OpenedStorage {
  readonly storage: Storage;
  /** Sets how far a vault's history has come, without writing that history: 4 294 967 295 changes take too long. */
  setSequence(tenantId: string, vaultId: string, sequence: number): Promise<void>;
  /** Opens again what `storage`, which has been closed, has left. */
  reopen(): Promise<Storage>;
}

/** Opens a storage of its own, empty. */
export type OpenStorage = () => Promise<OpenedStorage>;

export interface Harness {
  open(): Promise<OpenedStorage & Fixture>;
}

/** Opens storages for the tests of one `describe`, and closes them after each test. */
export function createHarness(open: OpenStorage): Harness {
  const opened: Storage[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  return {
    async open() {
      const under = await open();
      opened.push(under.storage);
      return {
        ...under,
        ...createFixture(under.storage),
        async reopen() {
          const storage = await under.reopen();
          opened.push(storage);
          return storage;
        },
      };
    },
  };
}
