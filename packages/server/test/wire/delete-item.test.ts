import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { itemContent, seeder, startPlatform } from "./start-platform.js";

const test = await startPlatform();
afterAll(test.close);
const { operations } = test.platform;

const remove = (itemId: string, baseVersion: number, vaultId = "v-1") =>
  test.deleteItem({ vaultId, itemId, baseVersion });
/** Returns an error without the parts that differ between requests. */
const withoutRequestId = (body: string) => body.replaceAll(/"value":"[^"]*"|"requestId":"[^"]*"/g, "");

async function newVault(vaultId: string, retentionDays: number): Promise<void> {
  await operations.createVault({ tenantId: "t-1", vaultId, retentionDays }, seeder);
  await operations.setVaultMember({ tenantId: "t-1", vaultId, principalId: "p-owner", role: "owner" }, seeder);
}

describe("SPEC 4.1 and DECISIONS 2: the JSON of a deletion", () => {
  it("has every field of the tables, numbers as numbers, timestamps with milliseconds and Z", async () => {
    await newVault("v-shape", 30);
    await test.putItem("i-shape", "v-shape");
    const answer = await remove("i-shape", 1, "v-shape");
    expect(answer.status).toBe(200);
    expect(answer.header("content-type")).toBe("application/json");
    expect(answer.header("cache-control")).toBe("no-store");
    expect(answer.header("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.body).toBe(
      JSON.stringify({
        item: {
          itemId: "i-shape",
          tenantId: "t-1",
          vaultId: "v-shape",
          version: 2,
          kind: itemContent.kind,
          titleHash: itemContent.titleHash,
          updatedAt: "2026-01-01T12:00:00.120Z",
          encryptedPayload: itemContent.encryptedPayload,
          wrappedKeys: itemContent.wrappedKeys,
          deleted: true,
        },
        cursor: { vaultId: "v-shape", sequence: 2 },
      }),
    );
  });

  it('contains empty values too: 0, "" and [] (a vault with a retention of 0 days shreds immediately)', async () => {
    await newVault("v-shred", 0);
    const encryptedPayload = { ...itemContent.encryptedPayload, version: 0 };
    await operations.putItem(
      {
        access: "administrator",
        tenantId: "t-1",
        vaultId: "v-shred",
        itemId: "i-1",
        baseVersion: 0,
        ...itemContent,
        encryptedPayload,
      },
      seeder,
    );
    const answer = await remove("i-1", 1, "v-shred");
    expect(answer.json()).toMatchObject({
      item: {
        titleHash: "",
        encryptedPayload: { alg: "A256GCM", nonce: "", aad: "", ciphertext: "", version: 0 },
        wrappedKeys: [],
        deleted: true,
      },
    });
    expect((await remove("i-1", 1, "v-shred")).body).toBe(answer.body);
  });
});

describe("DECISIONS 3, rule 1: VAULT_NOT_FOUND has one body, but for the request id", () => {
  it("for a missing vault, another tenant's vault, and a vault that the caller is not a member of", async () => {
    await test.putItem("i-rule-1");
    const answers = [
      await remove("i-rule-1", 1, "v-missing"),
      await remove("i-rule-1", 1, "v-2"),
      await test.deleteItem({ vaultId: "v-1", itemId: "i-rule-1", baseVersion: 1 }, { principalId: "p-stranger" }),
      await test.deleteItem({ vaultId: "v-1", itemId: "i-rule-1", baseVersion: 1 }, { tenantId: "t-2" }),
    ];
    for (const answer of answers) expectRpcError(answer, "VAULT_NOT_FOUND");
    expect(new Set(answers.map(({ body }) => withoutRequestId(body))).size).toBe(1);
    const names = answers.map(({ headers }) => JSON.stringify(headers.map(([name]) => name)));
    expect(new Set(names).size).toBe(1);
  });
});

describe("DECISIONS 3, rule 4", () => {
  it("the audit row names the token, the operation and the request, and a retry writes none", async () => {
    await newVault("v-audit", 30);
    await test.putItem("i-1", "v-audit");
    const { tokenId, accessToken } = await test.issue();
    const headers = { Authorization: `Bearer ${accessToken}`, "X-Request-Id": "r-audit" };
    const body = { vaultId: "v-audit", itemId: "i-1", baseVersion: 1 };
    for (const _ of [1, 2]) expect((await test.send({ headers, body })).status).toBe(200);
    const rows = test.database.prepare("SELECT * FROM audit WHERE subject = 'item:v-audit/i-1' AND event = 'deleted'");
    expect(rows.all()).toMatchObject([
      {
        tenant_id: "t-1",
        principal_id: "p-owner",
        oauth_client_id: "c-1",
        token_id: tokenId,
        operation: "platform.v1.VaultService/DeleteItem",
        request_id: "r-audit",
        version_before: 1,
        version_after: 2,
        at: test.clock.now(),
      },
    ]);
  });
});
