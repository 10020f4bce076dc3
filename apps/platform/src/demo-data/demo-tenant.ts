import { ownCall } from "@platform-rpc/accounts/http/own-call";
import type { ItemContent } from "@platform-rpc/items/item-content";
import type { Clock, Platform } from "@platform-rpc/server";
import { publicOperations, type Secrets } from "@platform-rpc/server/host";
import { demoTenant } from "../settings/settings.js";
import { demoOauthClient, demoUser, demoVault } from "./demo-files.js";
import { type DemoSealer, openDemoVault } from "./demo-vault.js";

const contents: readonly (ItemContent & { readonly itemId: string; readonly kind: string })[] = [
  {
    itemId: "demo-login",
    kind: "login",
    title: "Example mail",
    fields: [
      { name: "username", type: "text", value: "ada@example.com" },
      { name: "password", type: "secret", value: "correct horse battery staple" },
      { name: "website", type: "url", value: "https://mail.example.com" },
    ],
  },
  {
    itemId: "demo-note",
    kind: "secure_note",
    title: "Alarm code",
    fields: [{ name: "notes", type: "note", value: "The code is on the other note." }],
  },
  {
    itemId: "demo-card",
    kind: "card",
    title: "Example card",
    fields: [
      { name: "number", type: "secret", value: "4111 1111 1111 1111" },
      { name: "expires", type: "month", value: "2030-12" },
    ],
  },
  {
    itemId: "demo-api-key",
    kind: "api_key",
    title: "Example API",
    fields: [{ name: "key", type: "secret", value: "not a real key" }],
  },
];

/**
 * Sets up the demo's tenant: a user with an empty personal vault, an agent that may call both public operations, and a vault with a few
 * items. Resolves with what seals the items of that vault.
 */
export async function setUpDemoTenant(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** The serialized keys of the demo user. */
  readonly keys: Uint8Array<ArrayBuffer>;
}): Promise<DemoSealer> {
  const { operations, secrets } = deps;
  const call = ownCall("demo", secrets);
  const tenantId = demoTenant;
  await operations.setPrincipal({ tenantId, principalId: demoUser, active: true }, call);
  await operations.setOauthClient(
    {
      tenantId,
      oauthClientId: demoOauthClient,
      name: "Demo agent",
      allowedOperations: [...publicOperations.keys()],
      enabled: true,
      redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost/callback"],
    },
    call,
  );
  // A personal vault has the id of its person. Its key is made in the browser at the first sign-in.
  for (const vaultId of [demoUser, demoVault]) {
    await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, call);
    await operations.setVaultMember({ tenantId, vaultId, principalId: demoUser, role: "owner" }, call);
  }
  const seal = await openDemoVault(deps);
  for (const { itemId, kind, ...content } of contents) {
    const ref = { access: "administrator", tenantId, vaultId: demoVault, itemId } as const;
    const known = await operations.getItem(ref, call);
    if (known.ok) continue;
    await operations.putItem({ ...ref, baseVersion: 0, ...(await seal(itemId, kind, content)) }, call);
  }
  return seal;
}
