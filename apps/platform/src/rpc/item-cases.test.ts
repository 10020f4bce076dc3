import {
  changedItem,
  deleteItemCases,
  describeItemCases,
  describeListCases,
  getItemCases,
  type ItemCall,
  type ItemDriverScope,
  type ItemHost,
  listChangesCases,
  putItemCases,
  restoreItemCases,
} from "@platform-rpc/server/testing";
import { afterAll } from "vitest";
import { z } from "zod";
import { startMemberApp, tenantId } from "../../test/accounts/members/testing/start-member-app.js";
import { call } from "../testing/call.js";
import { itemAnswer, reasonIn } from "../testing/item-answer.js";

const app = await startMemberApp();
const token = await app.token({ principalId: "p-1" });
const historian = await app.token({ principalId: "p-historian" });
afterAll(() => app.end());

const caller = { tenantId, principalId: "p-1" };
const service = "platform.internal.v1.VaultAdminService";

/** Makes a call through one of the two listeners that take it. */
async function send(as: "administrator" | "member", bearer: string, ref: object, { operation, ...request }: ItemCall) {
  const { content, ...rest } = { content: undefined, ...request };
  const body = { ...ref, ...rest, ...content };
  if (operation === "DeleteItem") return call(app.publicUrl, `platform.v1.VaultService/${operation}`, body, bearer);
  return as === "member"
    ? app.member(operation, body, bearer)
    : call(app.internalUrl, `${service}/${operation}`, body, bearer);
}

const host: ItemHost = {
  now: Date.now,
  async createVault({ tenantId: owner, vaultId, retentionDays, role }) {
    await app.admin("VaultAdminService/CreateVault", { tenantId: owner, vaultId, retentionDays });
    const setRole = (principalId: string, each: string) =>
      app.admin("VaultAdminService/SetVaultMember", { tenantId: owner, vaultId, principalId, role: each });
    await setRole("p-historian", "owner");
    if (role !== undefined) await setRole(caller.principalId, role);
  },
  async setRole({ vaultId }, role = "") {
    const { principalId } = caller;
    await app.admin("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId, role });
  },
  async change(ref, each) {
    const bearer =
      ref.tenantId === tenantId ? historian : await app.token({ principalId: "p-historian", tenantId: ref.tenantId });
    const deletes = each.operation === "DeleteItem";
    return changedItem(itemAnswer(await send("administrator", deletes ? bearer : app.adminToken, ref, each)));
  },
  async head(owner, vaultId) {
    const page = await app.admin("VaultAdminService/ListChanges", {
      tenantId: owner,
      vaultId,
      afterSequence: 0,
      limit: 500,
    });
    return z.object({ cursor: z.object({ sequence: z.number() }) }).parse(page).cursor.sequence;
  },
};

const reads = [...putItemCases, ...restoreItemCases, ...getItemCases];
const scope: ItemDriverScope = {
  roles: ["owner", "admin", "member", "viewer"],
  time: false,
  floors: false,
  outcomes: "one of each",
};

describeItemCases("the operations of members", [...deleteItemCases, ...reads], scope, () => ({
  host,
  caller,
  call: async ({ vaultId, itemId }, each) => itemAnswer(await send("member", token, { vaultId, itemId }, each)),
}));

describeItemCases("the operations of administrators", reads, { ...scope, roles: [] }, () => ({
  host,
  caller,
  call: async (ref, each) => itemAnswer(await send("administrator", app.adminToken, ref, each)),
}));

const listed = z.object({
  changes: z.array(z.object({ sequence: z.number(), item: z.object({ itemId: z.string(), deleted: z.boolean() }) })),
  cursor: z.object({ sequence: z.number() }),
  hasMore: z.boolean(),
});

for (const as of ["member", "administrator"] as const) {
  const cases = listChangesCases.filter(({ given }) => as === "member" || given.role === undefined);
  describeListCases(`the changes that the ${as} lists`, cases, () => ({
    host,
    caller,
    async list(vaultId, request) {
      const answered =
        as === "member"
          ? await app.member("ListChanges", { vaultId, ...request }, token)
          : await call(app.internalUrl, `${service}/ListChanges`, { tenantId, vaultId, ...request }, app.adminToken);
      if (answered.status !== 200) return { reason: reasonIn(answered) };
      const { changes, cursor, hasMore } = listed.parse(answered.json);
      const seen = changes.map(({ sequence, item: { itemId, deleted } }) => ({ itemId, sequence, deleted }));
      return { changes: seen, cursor: cursor.sequence, hasMore };
    },
  }));
}
