import { type RegisteredOauthClient, redirectTarget } from "@platform-rpc/server/host";
import { html } from "hono/html";
import type { FoundClient } from "../oauth/find-client.js";
import type { SeenBounds } from "../review/bounds-choice.js";
import { type Answered, anyProgram, keyInWords, type Review, registrationInWords } from "../review/review-page.js";
import { timeInWords } from "../review/words.js";
import type { ApprovableRequest } from "./approvals.js";

export interface AuthorizationReview extends SeenBounds {
  readonly client: FoundClient;
  /** The URL of the client's metadata document. Undefined: an administrator has registered the client. */
  readonly documentUrl: string | undefined;
  readonly request: ApprovableRequest;
  /** The path of the request, to which the decision is sent. */
  readonly path: string;
  /** The id of the person who sees the page. */
  readonly person: string;
  /** The API that the tokens are for, as the person knows it. */
  readonly api: string;
  /** What the person has allowed the client before. */
  readonly kept: readonly string[];
  /** An answer of the person that cannot be accepted. */
  readonly answered?: Answered | undefined;
}

export function reviewOfAuthorization(review: AuthorizationReview): Review {
  const { client, request, path, person, api, kept, offer, bounds, namesOthers, answered } = review;
  const { scopes, refreshable, popKeyId, redirectUri } = request;
  const warning = redirectTarget(redirectUri).kind !== "host" && offer === undefined ? anyProgram : "";
  return {
    name: client.name === "" ? client.oauthClientId : client.name,
    action: path,
    path,
    fields: { person },
    about: html`${originInWords(review)}${destinationInWords(redirectUri, client)}`,
    notice: `Approve only if you started this yourself, just now. If a message or a page that you do not know brought you here, choose Deny.${warning}`,
    api,
    scopes: scopes.filter((scope) => !kept.includes(scope)),
    kept,
    offer,
    bounds,
    namesOthers,
    renewable: refreshable,
    details: [
      ["Software", softwareInWords(review)],
      ...client.leftOut.map((rule) => ["Left out", html`In its description, ${rule}.`] as const),
      ["Key", keyInWords(popKeyId)],
    ],
    answered,
  };
}

function destinationInWords(redirectUri: string, { redirectUris }: Pick<RegisteredOauthClient, "redirectUris">) {
  const target = redirectTarget(redirectUri);
  switch (target.kind) {
    case "host":
      return html`Leads to <code>${target.host}</code>. If you do not know this site, choose Deny.`;
    case "app":
      return html`Leads to an app on this device, by the address <code>${target.scheme}:</code>.`;
    case "loopback":
      return redirectUris.every((uri) => redirectTarget(uri).kind === "loopback")
        ? "Leads to a program on this computer. Any program here can use this name: check that it is the one that you use."
        : "Leads to a program on this computer.";
  }
}

/** Says who describes a client whose name nobody here has checked. */
function originInWords({ documentUrl }: AuthorizationReview) {
  return documentUrl === undefined ? "" : html`Described by <code>${describedAt(documentUrl)}</code>. `;
}

/** The host of a document, which answers for it. With a query, anybody may have chosen what the host answers: then all of the address. */
function describedAt(documentUrl: string): string {
  const { host, pathname, search } = new URL(documentUrl);
  return search === "" ? host : host + pathname + search;
}

function softwareInWords({ client, documentUrl }: AuthorizationReview) {
  if (documentUrl === undefined) {
    return html`<code>${client.oauthClientId}</code>, registered ${registrationInWords(client)}`;
  }
  return html`described by <code>${describedAt(documentUrl)}</code>, known here since ${timeInWords(client.registeredAt)}`;
}
