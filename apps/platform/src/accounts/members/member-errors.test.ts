import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { createMemberListener } from "@platform-rpc/accounts/members/member-listener";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import { StorageError } from "@platform-rpc/server";
import { defaultLimits } from "@platform-rpc/server/host";
import type { ErrorReason } from "@platform-rpc/types";
import type { OperationReasons } from "@platform-rpc/types-internal/operation-reasons";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Answered, call } from "../../testing/call.js";
import { reasonIn } from "../../testing/item-answer.js";
import { content, type MemberApp, scopes, startMemberApp, tenantId } from "./testing/start-member-app.js";

type Service = "platform.accounts.v1.MemberVaultService";
type Method = keyof OperationReasons extends infer Name ? (Name extends `${Service}/${infer M}` ? M : never) : never;

let app: MemberApp;
let ada: string;
let vaultId: string;
beforeAll(async () => {
  app = await startMemberApp();
  ada = await app.token({ principalId: "ada" });
  vaultId = await app.vault({ ada: "owner" });
});
afterAll(() => app.end());

/** Serves the member API of a platform whose vaults have used their last sequence. */
async function callExhausted(method: string): Promise<Answered> {
  const platform = await inMemoryPlatform();
  onTestFinished(platform.close);
  const own = ownCall("test", platform.secrets);
  const subject = { tenantId, principalId: "ada", oauthClientId: "c-1" };
  await platform.own.setPrincipal({ ...subject, active: true }, own);
  const allowedOperations = [`platform.accounts.v1.MemberVaultService/${method}`];
  await platform.own.setOauthClient({ ...subject, name: "C", allowedOperations, enabled: true }, own);
  const { accessToken } = await platform.own.issueAccessToken({ ...subject, scopes, lifeSeconds: 60 }, own);
  const exhausted = () => Promise.reject(new StorageError("sequence_exhausted"));
  const members = createMemberListener({
    limits: defaultLimits,
    logSuccesses: 1,
    lookEveryMs: 100,
    platform: {
      ...platform,
      operations: { ...platform.operations, putItem: exhausted, restoreItem: exhausted },
    },
    logger: { info() {}, error() {} },
    tracing: undefined,
    onRequestEnd: () => {},
  });
  const server = createServer(members.handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await members.close();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const body = { vaultId, itemId: "i-1", baseVersion: 1, ...(method === "PutItem" && content) };
  return call(`http://127.0.0.1:${port}`, `platform.accounts.v1.MemberVaultService/${method}`, body, accessToken);
}

const invalid = (method: Method, body: object) => () => app.member(method, { vaultId, ...body }, ada);

/** The reasons that no row of testing/cases has. */
const failing: { readonly [M in Method]: Readonly<Record<string, () => Promise<Answered>>> } = {
  ListVaults: { INVALID_FIELD: () => app.member("ListVaults", { pageSize: 101, pageToken: "/" }, ada) },
  ListChanges: { INVALID_FIELD: invalid("ListChanges", { limit: 501, waitSeconds: 26 }) },
  GetItem: { INVALID_FIELD: invalid("GetItem", { itemId: "" }) },
  PutItem: {
    INVALID_FIELD: invalid("PutItem", { itemId: "", baseVersion: 2, ...content, kind: "" }),
    SEQUENCE_EXHAUSTED: () => callExhausted("PutItem"),
  },
  RestoreItem: {
    INVALID_FIELD: invalid("RestoreItem", { itemId: "i-1", baseVersion: 0 }),
    SEQUENCE_EXHAUSTED: () => callExhausted("RestoreItem"),
  },
};

describe("the pages of the reasons that no public operation has", () => {
  const folder = new URL("../../../../../docs/member-errors/", import.meta.url);
  // A missing one is a compile-time error.
  const own: Record<Exclude<OperationReasons[`${Service}/${Method}`], keyof typeof ErrorReason>, true> = {
    CURSOR_AHEAD: true,
    ITEM_SHREDDED: true,
    ROLE_FORBIDS_CHANGE: true,
  };
  const reasons = Object.keys(own);

  it("are exactly one for each reason, and a list of them", async () => {
    const pages = reasons.map((reason) => `${reason}.md`);
    expect((await readdir(folder)).sort()).toEqual(["README.md", ...pages].sort());
  });

  it.each(reasons)("%s: the code and the status of the contract", async (reason) => {
    const { code = Code.Unknown, httpStatus } = internalContract.reasons.get(reason) ?? {};
    const name = codeToString(code);
    const page = await readFile(new URL(`${reason}.md`, folder), "utf8");
    expect(page).toMatch(new RegExp(`^# ${reason}: `));
    expect(page).toContain(`Code \`${name}\`, HTTP status ${httpStatus}.`);
    expect(await readFile(new URL("README.md", folder), "utf8")).toContain(
      `| [${reason}](${reason}.md) | ${name} | ${httpStatus} |`,
    );
  });
});

describe.each(Object.entries(failing))("the errors of %s", (_, reasons) => {
  it.each(Object.entries(reasons))("%s has the status of the contract and no content", async (reason, make) => {
    expect(reasonIn(await make())).toBe(reason);
  });
});
