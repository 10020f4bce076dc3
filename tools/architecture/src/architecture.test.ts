import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { arrows } from "./arrows.ts";
import { nodeInBrowserCode } from "./browser-code.ts";
import { readModule } from "./module.ts";
import { readModules } from "./read-modules.ts";
import { placeOf, violationsOf } from "./violations.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const modules = readModules(root);

describe("ARCHITECTURE: each place may import only what its arrows allow", () => {
  it("is true for every hand-written module of the workspace", () => {
    expect(modules.flatMap(violationsOf)).toEqual([]);
  });

  it("covers the modules of every layer", () => {
    const places = new Set(modules.map((module) => placeOf(module.path)));
    const layers = Object.keys(arrows).filter((place) => /^(client|server)\//.test(place) && place !== "server/gen");
    expect(layers.filter((layer) => !places.has(layer))).toEqual([]);
  });
});

const src = "packages/server/src";
const client = "packages/client/src";

describe.each([
  [
    "domain → nothing",
    [
      [`${src}/domain/item.ts`, 'import type { Clock } from "../ports/clock.js";'],
      [`${src}/domain/item.ts`, 'import { createHash } from "node:crypto";'],
      [`${src}/domain/item.ts`, 'import { Code } from "@connectrpc/connect";'],
      [`${src}/domain/item.ts`, 'import type { Item } from "@platform-rpc/types";'],
    ],
  ],
  [
    "ports → domain (types)",
    [
      [`${src}/ports/storage.ts`, 'import { roleMayDelete } from "../domain/vault.js";'],
      [`${src}/ports/storage.ts`, 'import type { Call } from "../operations/call.js";'],
      [`${src}/ports/storage.ts`, 'import type { DatabaseSync } from "node:sqlite";'],
    ],
  ],
  [
    "never: domain or operations → connect, generated types, node:",
    [
      [`${src}/operations/delete-item.ts`, 'import { ConnectError } from "@connectrpc/connect";'],
      [`${src}/operations/delete-item.ts`, 'import { create } from "@bufbuild/protobuf";'],
      [`${src}/operations/delete-item.ts`, 'import { ErrorReason } from "@platform-rpc/types";'],
      [`${src}/operations/delete-item.ts`, 'import { randomUUID } from "node:crypto";'],
      [`${src}/operations/delete-item.ts`, 'import { rpcError } from "../rpc/rpc-error.js";'],
    ],
  ],
  [
    "http → rpc → operations",
    [
      [`${src}/rpc/vault-service.ts`, 'import { defaultLimits } from "../http/limits.js";'],
      [`${src}/rpc/vault-service.ts`, 'import { createSecrets } from "../tokens/secrets.js";'],
      [`${src}/http/listener.ts`, 'import { createTokenVerifier } from "../tokens/verifier.js";'],
      [`${src}/http/listener.ts`, 'import { createPlatform } from "../platform.js";'],
    ],
  ],
  [
    "storage, tokens → ports, domain",
    [
      [`${src}/storage/sqlite/migrate.ts`, 'import { createDeleteItem } from "../../operations/delete-item.js";'],
      [`${src}/storage/sqlite/migrate.ts`, 'import type { Item } from "@platform-rpc/types";'],
      [`${src}/tokens/issuer.ts`, 'import type { Storage } from "../storage/sqlite/create-sqlite-storage.js";'],
      [`${src}/limits/rate-limiter.ts`, 'import { createRpcErrors } from "../rpc/rpc-error.js";'],
    ],
  ],
  [
    "never: anything except the composition root → storage",
    [
      [`${src}/platform.ts`, 'import { createSqliteStorage } from "./storage/sqlite/create-sqlite-storage.js";'],
      [`${src}/http/listener.ts`, 'import "../storage/sqlite/migrate.js";'],
      [`${src}/operations/get-item.ts`, 'export { migrate } from "../storage/sqlite/migrate.js";'],
      [`${src}/rpc/routes.ts`, 'const late = await import("../storage/sqlite/migrate.js");'],
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
    "modules that may not import Node do not use its globals",
    [
      [`${client}/wire/post-json.ts`, "const bytes = Buffer.from(text);"],
      [`${client}/call/new-id.ts`, "export const newId = () => process.hrtime.bigint();"],
      [`${client}/connect/http-transport.ts`, "setImmediate(() => undefined);"],
      [`${src}/domain/item.ts`, "const { env } = process;"],
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
    "apps/reference → client, server, types-internal → types",
    [
      ["packages/types/src/index.ts", 'export { VaultAdminService } from "@platform-rpc/types-internal";'],
      ["packages/types-internal/src/index.ts", 'import type { Call } from "@platform-rpc/client";'],
      [`${src}/rpc/routes.ts`, 'import { VaultAdminService } from "@platform-rpc/types-internal";'],
      [`${client}/call/call.ts`, 'import type { Change } from "@platform-rpc/types-internal";'],
      [`${client}/call/call.ts`, 'import { start } from "@platform-rpc/reference";'],
    ],
  ],
  [
    "tools/contract reads proto/ and released contracts; no package imports it",
    [
      ["apps/reference/src/main.ts", 'import { lint } from "@platform-rpc/contract";'],
      ["tools/contract/src/lint/lint.ts", 'import { VaultService } from "@platform-rpc/types";'],
    ],
  ],
  [
    "tools/contract: proto → image → Contract → lint | compare | render → verdict",
    [
      ["tools/contract/src/model/read-image.ts", 'import { lint } from "../lint/lint.ts";'],
      ["tools/contract/src/lint/lint.ts", 'import { compareLocks } from "../compare/compare-locks.ts";'],
      ["tools/contract/src/lint/lint.ts", 'import { readFileSync } from "node:fs";'],
      ["tools/contract/src/compare/compare-locks.ts", 'import { lint } from "../lint/lint.ts";'],
      ["tools/contract/src/lock/lock.ts", 'import { compareLocks } from "../compare/compare-locks.ts";'],
      ["tools/contract/src/render/documents.ts", 'import { lint } from "../lint/lint.ts";'],
      ["tools/contract/src/render/documents.ts", 'import { testContract } from "../model/testing/test-contract.ts";'],
    ],
  ],
  [
    "each package is imported only through its index",
    [
      ["apps/reference/src/main.ts", 'import { createListener } from "../../../packages/server/src/http/listener.js";'],
      ["tools/bench/src/main.ts", 'import { operation } from "../../../packages/types/src/gen/operation_pb.js";'],
      ["packages/client/test/runtimes/worker.ts", 'import { serve } from "../../../server/src/http/listener.js";'],
    ],
  ],
  [
    "deny by default",
    [
      [`${src}/services/mail.ts`, ""],
      ["packages/mail/src/index.ts", ""],
      ["apps/reference/src/main.ts", 'import { send } from "@platform-rpc/mail";'],
      ["apps/reference/src/main.ts", "const plugin = await import(process.argv[2]);"],
      [`${src}/tokens/issuer.ts`, 'import { sign } from "jsonwebtoken";'],
      [`${src}/tokens/issuer.ts`, 'import { sign } from "jose-but-not-quite";'],
    ],
  ],
  [
    "never: utils/, helpers/, common/; export * from generated code; default exports",
    [
      [`${src}/http/utils/text.ts`, ""],
      [`${client}/call/helpers.ts`, ""],
      ["apps/reference/src/common/log.ts", ""],
      ["packages/types/src/index.ts", 'export * from "./gen/platform/v1/item_pb.js";'],
      ["packages/types/src/index.ts", 'export * as item from "./gen/platform/v1/item_pb.js";'],
      [`${client}/call/call.ts`, "export default 1;"],
      [`${client}/call/call.ts`, "export default function call() {}"],
      [`${client}/call/call.ts`, "const call = 1;\nexport { call as default };"],
    ],
  ],
])("%s", (_rule, breaches) => {
  it.each(breaches)("%s: rejects %s", (path, source) => {
    expect(violationsOf(readModule(path, source))).toHaveLength(1);
  });
});

describe("allowed imports pass", () => {
  it.each([
    [`${src}/operations/delete-item.ts`, 'import { deleteItem } from "../domain/delete-item.js";'],
    [`${src}/ports/storage.ts`, 'import type { Decision } from "../domain/decision.js";'],
    [`${src}/ports/storage.ts`, 'import { type Decision, type Write } from "../domain/decision.js";'],
    [`${src}/ports/storage.ts`, 'export type { Decision } from "../domain/decision.js";'],
    [`${src}/http/listener.ts`, 'import type { Server } from "node:http";'],
    [`${src}/http/listener.ts`, 'import { createHash } from "node:crypto";'],
    [`${src}/http/listener.ts`, 'import { createValidateRequest } from "@connectrpc/connect/protocol-connect";'],
    [`${src}/index.ts`, 'export { createSqliteStorage } from "./storage/sqlite/create-sqlite-storage.js";'],
    [`${src}/domain/item.test.ts`, 'import { migrate } from "../storage/sqlite/migrate.js";'],
    [`${src}/wire/start-listener.ts`, 'import { migrate } from "../storage/sqlite/migrate.js";'],
    [`${src}/storage/sqlite/testing/child.ts`, 'import { harness } from "../../../testing/storage-suite/harness.js";'],
    [`${src}/storage/sqlite/migrate.test.ts`, 'import { temporaryPath } from "./testing/temporary-path.js";'],
    ["apps/reference/src/main.ts", 'import { createListener } from "@platform-rpc/server";'],
    ["apps/reference/src/main.ts", 'import { storageSuite } from "@platform-rpc/server/testing";'],
    [`${client}/options/environment.ts`, "export const find = (runtime: { process?: object }) => runtime.process;"],
    [`${client}/json/json-caller.ts`, 'import { createServiceClients } from "../gen/json-services.js";'],
    [`${client}/error/code-and-reason.ts`, 'import type { ErrorReason } from "@platform-rpc/types";'],
    [`${client}/json/index.ts`, 'export { advanceCursor } from "../advance-cursor.js";'],
    [`${client}/stack.test.ts`, 'import * as json from "../dist/json/index.js";'],
    ["packages/client/test/runtimes/client.test.ts", 'import { createListener } from "@platform-rpc/server";'],
    [
      "packages/client/test/runtimes/worker.ts",
      'import "../../../server/src/storage/memory/create-memory-storage.js";',
    ],
    [`${client}/call/call.ts`, '// import { createListener } from "@platform-rpc/server";'],
    [`${client}/call/call.ts`, "const text = 'import { createListener } from \"@platform-rpc/server\";';"],
  ])("%s: allows %s", (path, source) => {
    expect(violationsOf(readModule(path, source))).toEqual([]);
  });
});

describe("never: code for browsers → node:", () => {
  it("is true for every hand-written module of the workspace", () => {
    expect(nodeInBrowserCode(modules)).toEqual([]);
  });

  const console = "apps/console/src/main.tsx";
  const accounts = "apps/reference/src/accounts";

  it.each([
    ["a module of Node", [[console, 'import { readFileSync } from "node:fs";']]],
    ["a module of Node without its prefix", [[console, 'const path = await import("path");']]],
    ["a global of Node", [[`${accounts}/browser/page.ts`, "const bytes = Buffer.from(text);"]]],
    [
      "a module of the app that needs Node",
      [
        [`${accounts}/browser/page.ts`, 'import { wrap } from "../keys/wrap.js";'],
        [`${accounts}/keys/wrap.ts`, 'export { derive } from "./derive.js";'],
        [`${accounts}/keys/derive.ts`, 'import { hkdfSync } from "node:crypto";'],
      ],
    ],
    [
      "an entry of a package that needs Node",
      [
        [console, 'import { createFileSessionStore } from "@platform-rpc/client/session-file";'],
        ["packages/client/src/session-file/index.ts", 'import { readFile } from "node:fs/promises";'],
      ],
    ],
  ])("rejects %s", (_, sources) => {
    expect(nodeInBrowserCode(sources.map(([path = "", source = ""]) => readModule(path, source)))).toHaveLength(1);
  });

  it.each([
    ["types", [[console, 'import type { Server } from "node:http";']]],
    ["Node in tests", [["apps/console/src/main.test.ts", 'import { readFileSync } from "node:fs";']]],
    [
      "types of a module of the app that needs Node",
      [
        [`${accounts}/browser/page.ts`, 'import type { Wrapped } from "../keys/wrap.js";'],
        [`${accounts}/keys/wrap.ts`, 'import { hkdfSync } from "node:crypto";'],
      ],
    ],
  ])("allows %s", (_, sources) => {
    expect(nodeInBrowserCode(sources.map(([path = "", source = ""]) => readModule(path, source)))).toEqual([]);
  });
});
