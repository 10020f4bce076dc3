import type { Operations, RefreshFamily } from "@platform-rpc/server";
import { html } from "hono/html";
import { scopeInWords } from "../device/scope-words.js";
import { timeInWords } from "../device/time-words.js";
import type { Html } from "../pages/layout.js";
import { clientNames } from "./client-names.js";

/** Software that a person has allowed to act for them, until the approval ends. */
export interface ConnectedSoftware extends RefreshFamily {
  /** The name of its OAuth client; its id if the client was removed. */
  readonly name: string;
}

/** Lists what a person has approved on the device page and can still be renewed. */
export async function listConnectedSoftware(
  operations: Pick<Operations, "listRefreshFamilies" | "getOauthClient">,
  person: { readonly tenantId: string; readonly principalId: string },
): Promise<readonly ConnectedSoftware[]> {
  const families = await operations.listRefreshFamilies(person);
  const ids = families.map(({ oauthClientId }) => oauthClientId);
  const names = await clientNames(operations, person.tenantId, ids);
  return families.map((family) => ({ ...family, name: names.get(family.oauthClientId) ?? family.oauthClientId }));
}

/** The section of the account page where a person ends what they have approved. */
export function softwareSection(software: readonly ConnectedSoftware[]): Html {
  return html`
    <section aria-labelledby="software">
      <h2 id="software">Software that acts for you</h2>
      ${
        software.length === 0
          ? html`<p>None. Software that you approve with a code, such as a command line or an agent, appears here.</p>`
          : html`<ul class="plain entries">${software.map(entry)}</ul>`
      }
    </section>`;
}

function entry({ familyId, name, scopes, createdAt, rotatedAt, expiresAt }: ConnectedSoftware): Html {
  return html`<li>
    <strong>${name}</strong>
    <p class="hint">
      Approved ${timeInWords(createdAt)}, last renewed ${timeInWords(rotatedAt)}. Ends ${timeInWords(expiresAt)}.
    </p>
    <ul class="hint">${scopes.map((scope) => html`<li>${scopeInWords(scope)}</li>`)}</ul>
    <form method="post" action="/account/software/end">
      <input type="hidden" name="id" value="${familyId}">
      <button aria-label="End access of ${name}, approved ${timeInWords(createdAt)}">End access</button>
    </form>
  </li>`;
}
