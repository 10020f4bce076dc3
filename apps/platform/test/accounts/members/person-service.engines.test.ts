import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { afterAll, describe, expect, it } from "vitest";
import { call } from "../../../src/testing/call.js";
import { reasonIn } from "../../../src/testing/item-answer.js";
import { startMemberApp } from "./testing/start-member-app.js";

const app = await startMemberApp({ RATE_LIMITS: "off" });
afterAll(() => app.end());

const operation = "platform.accounts.v1.PersonService/GetPerson";
const getPerson = (token: string) => call(app.accountsUrl, operation, {}, token);

describe("GetPerson", () => {
  it("returns the name of the person to the command line, and to no other software", async () => {
    const { accountId: principalId } = await signUpPerson({
      openBrowser: () => openSiteBrowser(app.pagesUrl),
    });
    const token = await app.token({ principalId });
    expect(await getPerson(token)).toMatchObject({ status: 200, json: { displayName: "Ada" } });
    await app.admin("AccessAdminService/SetOauthClient", {
      ...{ tenantId: "acme", oauthClientId: "agent", name: "Agent", enabled: true },
      allowedOperations: [operation],
    });
    const agent = await app.token({ principalId, oauthClientId: "agent" });
    expect(await getPerson(agent)).toMatchObject({ status: 200, json: { displayName: "" } });
  });

  it("returns no name of a principal without an account, and none without the scope", async () => {
    const principalId = "batch-job";
    expect(await getPerson(await app.token({ principalId }))).toMatchObject({ status: 200, json: { displayName: "" } });
    const writer = await app.token({ principalId, scopes: ["vault.items:write"] });
    expect(reasonIn(await getPerson(writer))).toBe("INSUFFICIENT_SCOPE");
  });
});
