import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { contentOf, tenantId } from "../../../testing/storage-suite/fixture.js";
import { migrate } from "../migrate.js";
import { migrations } from "../migrations/index.js";
import { contentJson } from "../tables/item-row.js";
import { createMemoryFolder } from "../testing/memory-folder.js";
import type { Mark } from "./model.js";
import type { Files } from "./operation.js";
import { readFiles } from "./record.js";

/** Creates a closed database of schema version 3, the last one without checksums, and what was acknowledged about it. */
export function createOldDatabase(items: number): { files: Files; marks: readonly Mark[] } {
  const folder = createMemoryFolder();
  try {
    const path = join(folder, "platform.db");
    const database = new DatabaseSync(path);
    database.exec("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL");
    migrate(database, path, migrations.slice(0, 3));
    const run = (sql: string, ...values: (string | number)[]) => database.prepare(sql).run(...values);
    run("INSERT INTO vaults VALUES (1, ?, 'kept', 30, 0, ?)", tenantId, items);
    const marks: Mark[] = [];
    for (let id = 1; id <= items; id += 1) {
      const itemId = `old-${id}`;
      const content = `<${itemId}>`.repeat(1 + (id % 50));
      run("INSERT INTO items VALUES (?, 1, ?, 1, ?, 'live', 'login', 0, NULL, 'A256GCM', 3)", id, itemId, id);
      run("INSERT INTO contents VALUES (?, ?)", id, contentJson(contentOf(content)));
      run("INSERT INTO changes VALUES (?, 1, ?, ?, 1, 'live', 0)", id, id, id);
      run(
        "INSERT INTO audit VALUES (?, 0, ?, '', '', '', '', '', ?, ?, 'created', 0, 1)",
        ...[id, tenantId, tenantId, `item:kept/${itemId}`],
      );
      const effect = { kind: "change", vaultId: "kept", itemId, version: 1, state: "live", content } as const;
      marks.push({ kind: "begun", call: id, effect }, { kind: "acknowledged", call: id, sequence: id });
    }
    database.close();
    return { files: readFiles(folder), marks };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
