import type { DatabaseSync } from "node:sqlite";
import { integer } from "./columns.js";
import { contentChecksum } from "./content-checksum.js";
import { recordChecksum } from "./record-checksum.js";
import { createShreddableText } from "./shreddable-text.js";

/** Defines the SQL functions with which migrations write contents and checksums as the program does. */
export function defineFunctions(database: DatabaseSync): void {
  const shreddableText = createShreddableText(pageSize(database));
  database.function("shreddable_text", (json) => shreddableText(String(json)));
  database.function("content_checksum", (item, kind, alg, version, content) =>
    contentChecksum(Number(item), String(kind), String(alg), Number(version), String(content)),
  );
  database.function("record_checksum", (collection, key, tenant, principal, oauthClient, createdAt, value) =>
    recordChecksum([collection, key, tenant, principal, oauthClient].map(String), Number(createdAt), String(value)),
  );
}

export function pageSize(database: DatabaseSync): number {
  return integer(database.prepare("PRAGMA page_size").get() ?? {}, "page_size");
}
