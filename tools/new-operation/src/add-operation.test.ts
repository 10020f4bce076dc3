import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

const server = "packages/server/src";
const scaffolded = [
  `${server}/domain/rename-item.ts`,
  `${server}/domain/rename-item.test.ts`,
  `${server}/operations/rename-item.ts`,
  `${server}/wire/rename-item.test.ts`,
  "apps/platform/src/client-entries/rename-item.test.ts",
  ".changeset/rename-item.md",
];

describe.each([
  {
    service: "ItemService",
    file: "item",
    registered: ["platform.ts", "router.service(ItemService, createItemService("],
  },
  {
    service: "VaultService",
    file: "vault",
    registered: ["rpc/vault-service.ts", "pageOf, renameItem,\n  validate,\n}"],
  },
  {
    service: "IdentityGatewayService",
    file: "identity-gateway",
    registered: ["rpc/identity-gateway-service.ts", "  readonly renameItem: ReturnType<"],
  },
])("an operation of $service", ({ service, file, registered: [place = "", text] }) => {
  const root = copyWorkspace(service);
  const proto = `proto/platform/v1/${file.replace("-", "_")}_service.proto`;
  const implementation = `${server}/rpc/${file}-service.ts`;
  const operations = `${server}/operations/operations.ts`;

  beforeAll(async () => {
    expect((await addOperation(root, { service, method: "RenameItem" })).failures).toEqual([]);
  });

  it("is in the proto, the operations, the service and the platform", () => {
    expect(read(root, proto)).toMatch(
      / {2}rpc RenameItem\(RenameItemRequest\) returns \(RenameItemResponse\) \{[\s\S]*\n\}\n[\s\S]*\nmessage RenameItemRequest \{/,
    );
    expect(read(root, operations)).toContain("    renameItem: createRenameItem(deps),\n  };");
    expect(read(root, operations)).toContain("import { createRenameItem } from");
    expect(read(root, implementation)).toContain("async renameItem(request, context) {");
    expect(read(root, `${server}/${place}`)).toContain(text);
  });

  it("is valid TypeScript, with a TODO for each part to write", () => {
    const code = [...scaffolded.slice(0, -1), implementation, operations, `${server}/platform.ts`];
    for (const path of code) expect(() => stripTypeScriptTypes(read(root, path))).not.toThrow();
    for (const path of [...scaffolded, implementation, proto]) expect(read(root, path)).toContain("TODO");
  });

  it("cannot be added twice: the second run fails and changes no existing file", async () => {
    const contents = () =>
      [...scaffolded, proto, implementation, operations, `${server}/platform.ts`].map((path) => read(root, path));
    const before = contents();
    const { failures } = await addOperation(root, { service, method: "RenameItem" });
    expect(failures.join("\n")).toContain("File already exists");
    expect(contents()).toEqual(before);
  });
});

it("fails when a file has changed so that a place to extend is lost, and changes no file", async () => {
  const root = copyWorkspace("changed");
  const path = `${server}/platform.ts`;
  writeFileSync(join(root, path), read(root, path).replace("const implemented = ", "const services = "));
  const { failures } = await addOperation(root, { service: "ItemService", method: "RenameItem" });
  expect(failures).toEqual([
    `${path}: the list of the implemented services was not found, because the code no longer matches ` +
      "/(?<=const implemented = \\[[^\\]]*)\\]/. No file was changed. " +
      "Adapt the pattern in tools/new-operation/src/plan.ts to the code.",
  ]);
  expect(scaffolded.filter((file) => existsSync(join(root, file)))).toEqual([]);
});
