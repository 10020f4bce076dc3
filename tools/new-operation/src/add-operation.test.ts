import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOperation } from "./add-operation.ts";

const workspace = fileURLToPath(new URL("../../..", import.meta.url));
const copies = mkdtempSync(join(tmpdir(), "new-operation-"));
afterAll(() => rmSync(copies, { recursive: true }));

function copyWorkspace(name: string): string {
  const root = join(copies, name);
  for (const folder of ["proto/platform", "packages/server/src", ".changeset"]) {
    cpSync(join(workspace, folder), join(root, folder), { recursive: true });
  }
  return root;
}

const read = (root: string, path: string) => readFileSync(join(root, path), "utf8");

const scaffolded = [
  "domain/rename-item.ts",
  "domain/rename-item.test.ts",
  "operations/rename-item.ts",
  "wire/rename-item.test.ts",
];

describe.each([
  { service: "ItemService", what: "a new service", registered: "platform.ts" },
  { service: "VaultService", what: "a service that exists", registered: "rpc/vault-service.ts" },
])("an operation of $what", ({ service, registered }) => {
  const root = copyWorkspace(service);
  const server = (path: string) => read(root, `packages/server/src/${path}`);
  const proto = `proto/platform/v1/${service === "ItemService" ? "item" : "vault"}_service.proto`;
  const implementation = `rpc/${service === "ItemService" ? "item" : "vault"}-service.ts`;

  beforeAll(async () => {
    expect((await addOperation(root, { service, method: "RenameItem" })).failures).toEqual([]);
  });

  it("is in the proto, the operations, the service and the platform", () => {
    expect(read(root, proto)).toMatch(
      / {2}rpc RenameItem\(RenameItemRequest\) returns \(RenameItemResponse\) \{[\s\S]*\n\}\n[\s\S]*\nmessage RenameItemRequest \{/,
    );
    expect(server("operations/operations.ts")).toContain("    renameItem: createRenameItem(deps),\n  };");
    expect(server("operations/operations.ts")).toContain("import { createRenameItem } from");
    expect(server(implementation)).toContain("async renameItem(request, context) {");
    expect(server(registered)).toContain(
      service === "ItemService" ? "router.service(ItemService, createItemService(" : "renameItem, validate }",
    );
  });

  it("is valid TypeScript, with a TODO for each part to write", () => {
    for (const path of [...scaffolded, implementation, "operations/operations.ts", "platform.ts"]) {
      expect(() => stripTypeScriptTypes(server(path))).not.toThrow();
    }
    for (const path of scaffolded.slice(0, 3)) expect(server(path)).toContain("TODO");
    expect(read(root, proto)).toContain("RETRY_SAFETY_UNSPECIFIED");
    expect(read(root, ".changeset/rename-item.md")).toContain("TODO");
  });

  it("cannot be added twice: the second run fails and changes no existing file", async () => {
    const files = () => [
      proto,
      ...[...scaffolded, implementation, "operations/operations.ts", "platform.ts"].map(
        (path) => `packages/server/src/${path}`,
      ),
    ];
    const before = files().map((path) => read(root, path));
    const { failures } = await addOperation(root, { service, method: "RenameItem" });
    expect(failures.map(({ error }) => error).join("\n")).toContain("File already exists");
    expect(files().map((path) => read(root, path))).toEqual(before);
  });
});
