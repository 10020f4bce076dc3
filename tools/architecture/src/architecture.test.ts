import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cruise, type ICruiseOptions, type IFlattenedRuleSet } from "dependency-cruiser";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { options, ...ruleSet }: IFlattenedRuleSet & { readonly options: ICruiseOptions } = createRequire(
  import.meta.url,
)(join(root, ".dependency-cruiser.cjs"));

const folder = mkdtempSync(join(tmpdir(), "arrows-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a workspace with these files, and empty ones for the modules that they import. Returns its folder. */
function workspaceOf(sources: readonly Source[]): string {
  const place = mkdtempSync(join(folder, "workspace-"));
  const add = (path: string, source: string) => {
    mkdirSync(join(place, dirname(path)), { recursive: true });
    writeFileSync(join(place, path), source);
  };
  // As it is when it is built: an import of its types can then be told from one of its values.
  add("packages/types/package.json", '{ "main": "./dist/index.js" }');
  add("packages/types/dist/index.js", "");
  mkdirSync(join(place, "node_modules/@platform-rpc"), { recursive: true });
  symlinkSync("../../packages/types", join(place, "node_modules/@platform-rpc/types"));
  for (const name of ["apps", "packages", "tools"]) mkdirSync(join(place, name), { recursive: true });
  for (const [path = "", source = ""] of sources) {
    for (const [, imported = ""] of source.matchAll(/"(\.[^"]+)"/g))
      add(posix.join(dirname(path), imported).replace(/\.js$/, ".ts"), "export {};");
  }
  for (const [path = "", source = ""] of sources) add(path, source);
  return place;
}

/** A file, by its path and its source. */
type Source = readonly [path: string, source: string];

/** Checks files in one workspace, in which those with the same path are one. Returns a function that finds what is refused in a file. */
async function check(sources: readonly Source[]): Promise<(source: Source) => readonly string[]> {
  const files = new Map<string, string>();
  for (const [path, source] of sources) files.set(path, `${files.get(path) ?? ""}${source}\n`);
  const baseDir = workspaceOf([...files]);
  const { output } = await cruise(["apps", "packages", "tools"], { ...options, baseDir, ruleSet, validate: true });
  if (typeof output === "string") throw new TypeError("a result was expected");
  const modules = new Map(output.modules.map((module) => [module.source, module.dependencies]));
  return ([path, source]) => {
    const specifiers = [...source.matchAll(/"([^"]+)"/g)].map(([, specifier = ""]) => specifier.replace(/^node:/, ""));
    const typeOnly = /^(import|export) (type|\{ type)/.test(source);
    return (modules.get(path) ?? [])
      .filter((found) => specifiers.includes(found.module.replace(/^node:/, "")))
      .filter((found) => found.dependencyTypes.includes("type-only") === typeOnly || found.couldNotResolve)
      .flatMap(({ rules = [] }) => rules.map(({ name }) => name));
  };
}

const src = "packages/server/src";
const client = "packages/client/src";
const console = "apps/console/src/main.tsx";
const accounts = "packages/accounts/src";

const rejected: readonly (readonly [rule: string, sources: readonly Source[]])[] = [
  [
    "domain → nothing",
    [
      [`${src}/domain/model/item.ts`, 'import type { Clock } from "../../ports/clock.js";'],
      [`${src}/domain/model/item.ts`, 'import { createHash } from "node:crypto";'],
      [`${src}/domain/model/item.ts`, 'import { Code } from "@connectrpc/connect";'],
      [`${src}/domain/model/item.ts`, 'import type { Item } from "@platform-rpc/types";'],
    ],
  ],
  [
    "ports → domain (types)",
    [
      [`${src}/ports/storage.ts`, 'import { roleMayDelete } from "../domain/model/vault.js";'],
      [`${src}/ports/storage.ts`, 'import type { Call } from "../services/call.js";'],
      [`${src}/ports/storage.ts`, 'import type { DatabaseSync } from "node:sqlite";'],
    ],
  ],
  [
    "never: domain or jobs → connect, generated types, node:",
    [
      [`${src}/jobs/shred-items.ts`, 'import { ConnectError } from "@connectrpc/connect";'],
      [`${src}/jobs/shred-items.ts`, 'import { create } from "@bufbuild/protobuf";'],
      [`${src}/jobs/shred-items.ts`, 'import { ErrorReason } from "@platform-rpc/types";'],
      [`${src}/jobs/shred-items.ts`, 'import { randomUUID } from "node:crypto";'],
      [`${src}/jobs/shred-items.ts`, 'import { rpcError } from "../services/rpc-error.js";'],
    ],
  ],
  [
    "http → services",
    [
      [`${src}/services/vault-service.ts`, 'import { defaultLimits } from "../http/limits.js";'],
      [`${src}/services/vault-service.ts`, 'import { createSecrets } from "../tokens/secrets.js";'],
      [`${src}/http/listener.ts`, 'import { createTokenVerifier } from "../tokens/verifier.js";'],
      [`${src}/http/listener.ts`, 'import { createPlatform } from "../platform.js";'],
    ],
  ],
  [
    "storage, tokens → ports, domain",
    [
      [`${src}/storage/sqlite/migrate.ts`, 'import { createItemOperations } from "../../services/items.js";'],
      [`${src}/storage/sqlite/migrate.ts`, 'import type { Item } from "@platform-rpc/types";'],
      [`${src}/tokens/issuer.ts`, 'import type { Storage } from "../storage/sqlite/create-sqlite-storage.js";'],
      [`${src}/limits/rate-limiter.ts`, 'import { createRpcErrors } from "../services/rpc-error.js";'],
    ],
  ],
  [
    "never: anything except the composition root → storage",
    [
      [`${src}/platform.ts`, 'import { createSqliteStorage } from "./storage/sqlite/create-sqlite-storage.js";'],
      [`${src}/http/listener.ts`, 'import "../storage/sqlite/migrate.js";'],
      [`${src}/services/items.ts`, 'export { migrate } from "../storage/sqlite/migrate.js";'],
      [`${src}/services/routes.ts`, 'const late = await import("../storage/sqlite/migrate.js");'],
      [`${src}/testing/fake-clock.ts`, 'type Late = import("../storage/sqlite/migrate.js").Late;'],
    ],
  ],
  [
    "test code is imported only by tests",
    [
      [`${src}/http/listener.ts`, 'import { startListener } from "../wire/start-listener.js";'],
      [`${src}/storage/sqlite/migrate.ts`, 'import { temporaryPath } from "./testing/temporary-path.js";'],
      [`${src}/storage/sqlite/migrate.ts`, 'import { createFakeClock } from "../../testing/fake-clock.js";'],
      [`${src}/wire/start-listener.ts`, 'import { createPlatformClient } from "@platform-rpc/client";'],
    ],
  ],
  [
    "client: connect, json, otel, testing, undici → device → call → options → error → wire → nothing",
    [
      [`${client}/call/step.ts`, 'import type { PollAnswer } from "../device/poll-until-approved.js";'],
      [`${client}/options/hooks.ts`, 'import type { Call } from "../call/call.js";'],
      [`${client}/error/create-error.ts`, 'import type { Clock } from "../options/clock.js";'],
      [`${client}/wire/http.ts`, 'import { redacted } from "../error/redactor.js";'],
      [`${client}/call/call.ts`, 'import { createConnectCaller } from "../connect/connect-caller.js";'],
      [`${client}/error/error-answer.ts`, 'import { ErrorReason } from "@platform-rpc/types";'],
      [`${client}/wire/post-json.ts`, 'import type { JsonValue } from "@bufbuild/protobuf";'],
      [
        `${client}/device/wait-for-device-authorization.ts`,
        'import type { PlatformClient } from "../json/platform-client.js";',
      ],
      [`${client}/json/json-caller.ts`, 'import { httpAnswers } from "../connect/http-answers.js";'],
      [`${client}/json/json-caller.ts`, 'import { create } from "@bufbuild/protobuf";'],
      [`${client}/connect/connect-caller.ts`, 'import { createJsonCaller } from "../json/json-caller.js";'],
      [`${client}/otel/open-telemetry.ts`, 'import { Code } from "@connectrpc/connect";'],
      [`${client}/wire/post-json.ts`, 'import { request } from "undici";'],
      [`${client}/testing/fake-clock.ts`, 'import { serve } from "../fixtures/http-server.js";'],
    ],
  ],
  [
    "client: pop → crypto → nothing",
    [
      [`${client}/pop/proof.ts`, 'import { newId } from "../call/new-id.js";'],
      [`${client}/crypto/seal-item.ts`, 'import { proofOf } from "../pop/proof.js";'],
      [`${client}/crypto/seal-item.ts`, 'import { vectors } from "./fixtures/vectors.js";'],
      [`${client}/crypto/seal-item.ts`, 'import { webcrypto } from "node:crypto";'],
    ],
  ],
  [
    "http takes no value from an import of node:http",
    [
      [`${src}/http/listener.ts`, 'import { createServer } from "node:http";'],
      [`${src}/http/listener.ts`, 'import { createServer } from "node:https";'],
    ],
  ],
  [
    "never: client ↔ server",
    [
      [`${client}/call/call.ts`, 'import type { Platform } from "@platform-rpc/server";'],
      [`${client}/call/call.test.ts`, 'import { createPlatform } from "@platform-rpc/server";'],
      [`${src}/http/listener.ts`, 'import { createPlatformClient } from "@platform-rpc/client";'],
      [`${src}/http/listener.test.ts`, 'import { createPlatformClient } from "@platform-rpc/client";'],
      [`${client}/testing/fake-clock.ts`, 'import { newUser } from "../../test/runtimes/suite.js";'],
    ],
  ],
  [
    "apps/platform → client, server, types-internal → types",
    [
      ["packages/types/src/index.ts", 'export { VaultAdminService } from "@platform-rpc/types-internal";'],
      ["packages/types-internal/src/index.ts", 'import type { Call } from "@platform-rpc/client";'],
      [`${src}/services/routes.ts`, 'import { VaultAdminService } from "@platform-rpc/types-internal";'],
      [`${client}/call/call.ts`, 'import type { Change } from "@platform-rpc/types-internal";'],
      [`${client}/call/call.ts`, 'import { start } from "@platform-rpc/platform";'],
    ],
  ],
  [
    "tools/contract reads proto/ and released contracts; no package imports it",
    [
      ["apps/platform/src/main.ts", 'import { lint } from "@platform-rpc/contract";'],
      ["tools/contract/src/lint/lint.ts", 'import { VaultService } from "@platform-rpc/types";'],
    ],
  ],
  [
    "tools/contract: proto → image → Contract → lint | facts → compare | render → verdict",
    [
      ["tools/contract/src/model/read-image.ts", 'import { lint } from "../lint/lint.ts";'],
      ["tools/contract/src/lint/lint.ts", 'import { compare } from "../compare/compare.ts";'],
      ["tools/contract/src/lint/lint.ts", 'import { readFileSync } from "node:fs";'],
      ["tools/contract/src/compare/compare.ts", 'import { lint } from "../lint/lint.ts";'],
      ["tools/contract/src/facts/facts.ts", 'import { compare } from "../compare/compare.ts";'],
      ["tools/contract/src/render/documents.ts", 'import { lint } from "../lint/lint.ts";'],
      ["tools/contract/src/render/documents.ts", 'import { testContract } from "../model/testing/test-contract.ts";'],
    ],
  ],
  [
    "each package is imported only through its index",
    [
      ["apps/platform/src/main.ts", 'import { createListener } from "../../../packages/server/src/http/listener.js";'],
      ["tools/bench/src/main.ts", 'import { operation } from "../../../packages/types/src/gen/operation_pb.js";'],
      ["packages/client/test/runtimes/worker.ts", 'import { serve } from "../../../server/src/http/listener.js";'],
    ],
  ],
  [
    "never: utils/, helpers/, common/",
    [
      [`${src}/http/listener.ts`, 'import { trim } from "./utils/text.js";'],
      [`${client}/call/call.ts`, 'import { trim } from "./helpers.js";'],
      ["apps/platform/src/main.ts", 'import { log } from "./common/log.js";'],
    ],
  ],
  [
    "deny by default",
    [
      [`${src}/mail/send.ts`, 'import type { Item } from "../domain/model/item.js";'],
      [`${src}/platform.ts`, 'import { send } from "./mail/send.js";'],
      ["packages/mail/src/index.ts", 'import { randomUUID } from "node:crypto";'],
      ["apps/platform/src/main.ts", 'import { send } from "@platform-rpc/mail";'],
      [`${src}/tokens/issuer.ts`, 'import { sign } from "jsonwebtoken";'],
      [`${src}/tokens/issuer.ts`, 'import { sign } from "jose-but-not-quite";'],
    ],
  ],
  [
    "no circle of imports, also of types",
    [
      [`${src}/limits/a.ts`, 'import { b } from "./b.js"; export const a = b;'],
      [`${src}/limits/b.ts`, 'import { a } from "./a.js"; export const b = a;'],
      [`${src}/tokens/a.ts`, 'import type { B } from "./b.js"; export type A = B;'],
      [`${src}/tokens/b.ts`, 'import type { A } from "./a.js"; export type B = A[];'],
    ],
  ],
  [
    "never: code for browsers → node:",
    [
      [console, 'import { readFileSync } from "node:fs";'],
      [console, 'export const path = await import("path");'],
      [console, 'import { createFileSessionStore } from "@platform-rpc/client/session-file";'],
      [`${accounts}/keys/wrap.ts`, 'import { hkdfSync } from "node:crypto";'],
      [`${accounts}/browser/page.ts`, 'import { serve } from "../serve.js";'],
    ],
  ],
];

const allowed: readonly Source[] = [
  [`${src}/jobs/shred-items.ts`, 'import { deleteItem } from "../domain/delete-item.js";'],
  [`${src}/ports/storage.ts`, 'import type { Decision } from "../domain/model/decision.js";'],
  [`${src}/ports/storage.ts`, 'import { type Decision, type Write } from "../domain/model/decision.js";'],
  [`${src}/ports/storage.ts`, 'export type { Decision } from "../domain/model/decision.js";'],
  [`${src}/http/listener.ts`, 'import type { Server } from "node:http";'],
  [`${src}/http/listener.ts`, 'import { createHash } from "node:crypto";'],
  [`${src}/http/listener.ts`, 'import { createValidateRequest } from "@connectrpc/connect/protocol-connect";'],
  [`${src}/index.ts`, 'export { createSqliteStorage } from "./storage/sqlite/create-sqlite-storage.js";'],
  [`${src}/domain/model/item.test.ts`, 'import { migrate } from "../storage/sqlite/migrate.js";'],
  [`${src}/wire/start-listener.ts`, 'import { migrate } from "../storage/sqlite/migrate.js";'],
  [`${src}/storage/sqlite/testing/child.ts`, 'import { harness } from "../../../testing/storage-suite/harness.js";'],
  [`${src}/storage/sqlite/migrate.test.ts`, 'import { temporaryPath } from "./testing/temporary-path.js";'],
  ["apps/platform/src/main.ts", 'import { createListener } from "@platform-rpc/server";'],
  ["apps/platform/src/main.ts", 'import { storageSuite } from "@platform-rpc/server/testing";'],
  [`${client}/json/json-caller.ts`, 'import { createServiceClients } from "../gen/json-services.js";'],
  [`${client}/error/code-and-reason.ts`, 'import type { ErrorReason } from "@platform-rpc/types";'],
  [`${client}/json/index.ts`, 'export { advanceCursor } from "../advance-cursor.js";'],
  [`${client}/stack.test.ts`, 'import * as json from "../dist/json/index.js";'],
  ["packages/client/test/runtimes/client.test.ts", 'import { createListener } from "@platform-rpc/server";'],
  ["packages/client/test/runtimes/worker.ts", 'import "../../../server/src/storage/memory/create-memory-store.js";'],
  [`${client}/call/call.ts`, '// import { createListener } from "@platform-rpc/server";'],
  [`${client}/call/call.ts`, "const text = 'import { createListener } from \"@platform-rpc/server\";';"],
  [console, 'import type { Server } from "node:http";'],
  ["apps/console/src/main.test.ts", 'import { readFileSync } from "node:fs";'],
  [`${accounts}/browser/page.ts`, 'import type { ApiErrorBody } from "../http/api-error.js";'],
  [`${accounts}/browser/page.ts`, 'import { wrap } from "../keys/wrap.js";'],
];

describe("the arrows of ARCHITECTURE.md", async () => {
  const rejects = await check(rejected.flatMap(([, sources]) => sources));
  const allows = await check(allowed);

  describe.each(rejected)("%s", (_, sources) => {
    it.each(sources)("%s: rejects %s", (path, source) => {
      expect(rejects([path, source])).not.toEqual([]);
    });
  });

  it.each(allowed)("%s: allows %s", (path, source) => {
    expect(allows([path, source])).toEqual([]);
  });
});

describe("what the linter refuses, because it is no import", () => {
  /** Returns whether the linter accepts a file. */
  async function lints(path: string, source: string): Promise<boolean> {
    const cwd = workspaceOf([[path, source]]);
    for (const name of ["biome.json", "tools/no-computed-import.grit"]) cpSync(join(root, name), join(cwd, name));
    const biome = join(root, "node_modules/.bin/biome");
    return promisify(execFile)(biome, ["lint", "--vcs-enabled=false", path], { cwd }).then(
      () => true,
      () => false,
    );
  }

  it.each([
    [`${client}/wire/post-json.ts`, 'export const bytes = Buffer.from("text");'],
    [`${client}/call/new-id.ts`, "export const newId = () => process.hrtime.bigint();"],
    [`${client}/connect/http-transport.ts`, "setImmediate(() => undefined);"],
    [`${src}/domain/model/item.ts`, "export const { env } = process;"],
    ["packages/accounts/src/browser/page.ts", 'export const bytes = Buffer.from("text");'],
    ["apps/console/src/main.tsx", "export const { env } = process;"],
    ["apps/platform/src/main.ts", 'export const plugin = await import(process.argv[2] ?? "");'],
    ["packages/types/src/index.ts", 'export * from "./gen/platform/v1/item_pb.js";'],
    ["packages/types/src/index.ts", 'export * as item from "./gen/platform/v1/item_pb.js";'],
    [`${client}/call/call.ts`, "export default 1;"],
    [`${client}/call/call.ts`, "export default function call() {}"],
    [`${client}/call/call.ts`, "const call = 1;\nexport { call as default };"],
  ])("%s: rejects %s", async (path, source) => {
    expect(await lints(path, source)).toBe(false);
  });

  it.each([
    [`${client}/options/environment.ts`, "export const find = (runtime: { process?: object }) => runtime.process;"],
    [`${client}/session-file/file.ts`, "export const { pid } = process;"],
    [`${src}/domain/model/item.test.ts`, "export const { pid } = process;"],
    ["apps/platform/src/main.ts", 'export const late = await import("./late.js");'],
  ])("%s: allows %s", async (path, source) => {
    expect(await lints(path, source)).toBe(true);
  });
});
