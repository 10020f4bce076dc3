import { type ConsentRequest, createConsentRequests } from "../../../src/consents/consent-request.js";
import { createConsents } from "../../../src/consents/consents.js";
import { ownCall } from "../../../src/http/own-call.js";
import type { AccountsSite } from "../../../src/testing/accounts-site.js";
import { content } from "../../../src/testing/item-content.js";

const tenantId = "acme";
const oauthClientId = "agent";
type DeletionRequest = Extract<ConsentRequest, { readonly kind: "deletion" }>;
type UseChanges = Partial<DeletionRequest> & { readonly delegationId?: string };
/** An item of a person in their vault, and an assistant that asks to delete it. */
export async function putDeletable(site: AccountsSite, origin: string, principalId: string) {
  const { own, secrets } = site;
  const call = ownCall("test", secrets);
  await own.setOauthClient({ tenantId, oauthClientId, name: "<Agent>", allowedOperations: [], enabled: true }, call);
  const place = { vaultId: principalId, itemId: "i-1" };
  const put = (baseVersion: number) =>
    own.putItem({ access: "administrator", tenantId, ...place, baseVersion, ...content }, call);
  await put(0);
  const request: DeletionRequest = { kind: "deletion", tenantId, principalId, oauthClientId, ...place, version: 1 };
  const requests = createConsentRequests({ ...site, origin, platform: site });
  const consents = createConsents(site);
  const pathOf = (changes: Partial<DeletionRequest> = {}) =>
    requests.link({ ...request, ...changes }).slice(origin.length);
  return {
    put,
    /** Returns the path of the page that a link leads to. */
    pathOf,
    /** Returns whether the person has consented: takes the consent as the tool of the assistant does, and gives it back. */
    async has(changes: Partial<DeletionRequest> = {}) {
      const taken = await consents.take({ ...request, ...changes }, call);
      if (taken) await consents.giveBack({ ...request, ...changes }, call);
      return taken;
    },
    /** Takes the consent, as the tool does before the deletion. */
    take: () => consents.take(request, call),
    /** Returns the consent, as the tool does after a rejected deletion. */
    giveBack: () => consents.giveBack(request, call),
    /** Deletes the item, as the tool does once it has taken the consent. */
    deleteItem: () =>
      own.deleteItem({ ...place, baseVersion: 1 }, { ...call, actor: { ...call.actor, tenantId, principalId } }),
    /** Ends the consent, as the tool does after the deletion. */
    end: () => consents.end(request, call),
    request,
    /** Asks to use the secret of the item, as the broker of the person does for an assistant. */
    useAt(host: string, { delegationId = "delegation-1", ...changes }: UseChanges = {}) {
      const use: ConsentRequest = { ...request, ...changes, kind: "use", host, delegationId };
      return { path: requests.link(use).slice(origin.length), take: () => consents.take(use, call) };
    },
    call,
  };
}
