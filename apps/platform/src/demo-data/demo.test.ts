import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { createAccountStore } from "@platform-rpc/accounts/people/account-store";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import { DeleteItemRequestSchema, ExchangeMcpOauthDeviceAuthorizationRequestSchema } from "@platform-rpc/types";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { demoTenant } from "../settings/settings.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { createDemo } from "./demo.js";
import { demoOauthClient, demoUser, demoVault } from "./demo-files.js";

const hour = 60 * 60 * 1000;
const deleteItemBody = z.object({ vaultId: z.string(), itemId: z.string(), baseVersion: z.number() });
const exchangeBody = z.object({ deviceCode: z.string() });

async function setUp() {
  const { operations, secrets, clock, pass, authenticator, jobs, close } = await inMemoryPlatform();
  onTestFinished(close);
  const folder = join(await temporaryFolder(), "demo");
  const deps = { operations, secrets, clock, folder };
  const demo = createDemo(deps);
  await demo.refresh();
  const asDemoUser = () => ({
    ...ownCall("test", secrets),
    actor: {
      ...ownCall("test", secrets).actor,
      tenantId: demoTenant,
      principalId: demoUser,
      oauthClientId: demoOauthClient,
    },
  });
  const body = async <T>(file: string, schema: z.ZodType<T>) => schema.parse(JSON.parse(await readFile(file, "utf8")));

  /** Makes the calls of the curl lines, and returns whether each succeeds with the files. */
  const useFiles = async () => {
    const { files } = demo;
    const claims = (await authenticator.authenticate(await readFile(files.accessToken, "utf8")))?.claims;
    const deletion = await body(files.deleteItem, deleteItemBody);
    const exchange = await body(files.exchange, exchangeBody);
    const deleted = await operations.deleteItem(deletion, asDemoUser());
    const exchanged = await operations.exchangeDeviceCode({ ...exchange, idempotencyKey: undefined }, asDemoUser());
    const touched =
      demo.concerns(create(DeleteItemRequestSchema, deletion)) &&
      demo.concerns(create(ExchangeMcpOauthDeviceAuthorizationRequestSchema, exchange));
    return {
      token: claims?.tenantId === demoTenant && claims.expiresAt > clock.now() + 60_000,
      deleted: deleted.ok,
      status: exchanged.ok ? exchanged.status : exchanged.reason,
      touched,
    };
  };
  return { deps, demo, operations, asDemoUser, body, useFiles, pass, jobs };
}

const allWork = { token: true, deleted: true, status: "approved", touched: true };

describe("the demo's files", () => {
  it("are readable only by their owner", async () => {
    const { deps } = await setUp();
    expect((await stat(deps.folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(deps.folder)) {
      expect([name, (await stat(join(deps.folder, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
  });

  it("work again after each refresh, however often they were used", async () => {
    const { demo, useFiles } = await setUp();
    for (let round = 0; round < 3; round += 1) {
      expect(await useFiles()).toEqual(allWork);
      await demo.refresh();
    }
  });

  it.each([8 * 60_000, hour, 12 * hour, -2 * hour])("work %d ms later", async (later) => {
    const { demo, useFiles, pass, jobs } = await setUp();
    pass(later);
    for (const { run } of jobs) await run();
    await demo.refresh();
    expect(await useFiles()).toEqual(allWork);
  });

  it("do not change while nothing is used up or about to expire", async () => {
    const { demo, pass } = await setUp();
    const contents = () => Promise.all(Object.values(demo.files).map((file) => readFile(file, "utf8")));
    const before = await contents();
    pass(60_000);
    await demo.refresh();
    expect(await contents()).toEqual(before);
  });

  it("work after a restart, with the same item and user keys", async () => {
    const { demo, deps, useFiles } = await setUp();
    const kept = () => Promise.all([readFile(demo.files.userKey, "utf8"), readFile(demo.files.deleteItem, "utf8")]);
    const before = await kept();
    await createDemo(deps).refresh();
    expect(await kept()).toEqual(before);
    const { token, deleted, status } = await useFiles();
    expect({ token, deleted, status }).toEqual({ token: true, deleted: true, status: "approved" });
  });

  it("contain a pending authorization, replaced once it is approved", async () => {
    const { demo, operations, asDemoUser, body } = await setUp();
    const approval = z.object({
      tenantId: z.string(),
      principalId: z.string(),
      userCode: z.string(),
      scopes: z.array(z.string()),
    });
    const { scopes, ...approver } = await body(demo.files.approvePending, approval);
    const { deviceCode } = await body(demo.files.pollPending, exchangeBody);
    const poll = () => operations.exchangeDeviceCode({ deviceCode, idempotencyKey: undefined }, asDemoUser());
    expect(await poll()).toMatchObject({ status: "authorization_pending" });
    expect(await operations.answerDeviceAuthorization(approver, { approve: scopes }, asDemoUser())).toEqual({
      ok: true,
    });
    await demo.refresh();
    expect((await body(demo.files.pollPending, exchangeBody)).deviceCode).not.toBe(deviceCode);
    expect(await poll()).toMatchObject({ status: "approved" });
  });
});

describe("the demo's user", () => {
  it("owns an empty personal vault and that of the items, also after the account was deleted", async () => {
    const { deps, operations, asDemoUser } = await setUp();
    const vaults = async () => {
      const listed = await operations.listVaults({ limit: 10 }, asDemoUser());
      return listed.vaults.map(({ vaultId, role, head }) => [vaultId, role, head > 0]);
    };
    const both = [
      [demoUser, "owner", false],
      [demoVault, "owner", true],
    ];
    expect(await vaults()).toEqual(both);
    const accounts = createAccountStore({ own: operations, clock: deps.clock, tenantId: demoTenant });
    const account = await accounts.find(demoUser, asDemoUser());
    if (account === undefined) return expect.unreachable();
    expect(await accounts.remove(account, {}, asDemoUser())).toBe(true);
    await createDemo(deps).refresh();
    expect(await accounts.find(demoUser, asDemoUser())).toBeDefined();
    expect(await vaults()).toEqual(both);
  });
});
