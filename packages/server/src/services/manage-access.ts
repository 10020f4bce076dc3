import { isListOf, type OptionRules, optional, requireOptions } from "@platform-rpc/options";
import {
  getGrant,
  issueAccessToken,
  type OauthClientRegistration,
  registerOauthClient,
  revokeToken,
  setOauthClient,
  setPrincipal,
} from "../domain/manage-access.js";
import {
  type OauthClient,
  oauthClients,
  type Principal,
  principals,
  type RegisteredOauthClient,
} from "../domain/model/access.js";
import {
  type Grant,
  grants,
  keyOfGrantPlace,
  longestPrivateTokenLife,
  longestTokenLife,
  normalizeScopes,
  revocations,
} from "../domain/model/grant.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { TokenIssuer } from "../ports/tokens.js";
import type { Call } from "./call.js";
import { flag, id, scopeList, text, texts, wholeTo } from "./input-rules.js";
import { listValues } from "./list-values.js";

/** The subject, scopes and lifetime of an access token. */
export interface IssueAccessTokenInput {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  /** What the token may do, such as `vault.items:delete`. `allowedOperations` of the OAuth client limits it further. */
  readonly scopes: readonly string[];
  /** The lifetime in seconds, at most 900; or 3600 if all scopes begin with `platform.`. 0: 900. */
  readonly lifeSeconds: number;
}

/** An access token and its expiry. */
export interface IssuedAccessToken {
  readonly accessToken: string;
  readonly tokenId: string;
  /** The id of its grant, which revokes it. */
  readonly grantId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Returns the longest lifetime of a token with these scopes, in seconds: longer if all are of private operations. */
function longestLife(scopes: unknown): number {
  const isPrivate = isListOf(scopes, (scope) => String(scope).startsWith("platform.")) && scopes.length > 0;
  return isPrivate ? longestPrivateTokenLife : longestTokenLife;
}

/** A client as it was read may be set again, with what the platform records about it. */
const oauthClientRules: OptionRules<SetOauthClientInput & RegisteredOauthClient> = {
  tenantId: id,
  oauthClientId: id,
  name: text,
  allowedOperations: texts,
  enabled: flag,
  redirectUris: optional(texts),
  grantTypes: optional(texts),
  requirePushedAuthorizationRequests: optional(flag),
  unbounded: optional(flag),
  registeredAt: () => true,
  registeredBy: () => true,
  unapprovedUntil: () => true,
};

const mostGrants = 500;

/** How many OAuth clients of a tenant may wait for a person to approve them. Calls in flight may add a few. */
const mostUnapprovedClients = 200;

/** The new state of the whole OAuth client. */
export interface SetOauthClientInput
  extends Omit<OauthClient, "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"> {
  /** Where the authorization code grant may send the browser: at most 10. Default: none. */
  readonly redirectUris?: readonly string[];
  /** The grants that the client may use, with their names of RFC 7591 section 2. Default: all of them. */
  readonly grantTypes?: readonly string[];
  /** Whether the client must push its authorization requests (RFC 9126 section 6). Default: false. */
  readonly requirePushedAuthorizationRequests?: boolean;
}

/** Identifies an OAuth client. */
export interface OauthClientRef {
  readonly tenantId: string;
  readonly oauthClientId: string;
}

export interface AccessDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "newId">;
  readonly issuer: TokenIssuer;
}

/** The operations on access: tokens, OAuth clients and principals. */
export interface AccessOperations {
  /** Issues an access token. It is accepted only while its principal is active and its OAuth client enabled. */
  issueAccessToken(input: IssueAccessTokenInput, call: Call): Promise<IssuedAccessToken>;

  /**
   * Signs an access token again: the result is the token as it was issued. Resolves with undefined if the token is unknown or has
   * expired. A token that was revoked stays revoked.
   */
  reissueAccessToken(tokenId: string, call: Call): Promise<IssuedAccessToken | undefined>;

  /** Revokes a token and every token of its grant. */
  revokeToken(tokenId: string, call: Call): Promise<void>;

  /** Lists the grants of a principal whose tokens are valid, the newest first. */
  listGrants(owner: { readonly tenantId: string; readonly principalId: string }): Promise<readonly Grant[]>;

  /** Creates or replaces an OAuth client, and returns it as stored. */
  setOauthClient(input: SetOauthClientInput, call: Call): Promise<OauthClient>;

  /**
   * Creates an OAuth client that registers itself, or replaces what its registration says of an existing one. Does not change one that
   * an administrator has disabled, nor the allowlist of an existing one. One that nobody approves is removed after a day. Resolves with
   * false, and registers no new one, while too many wait for that.
   */
  registerOauthClient(registration: OauthClientRegistration, call: Call): Promise<boolean>;

  /** Reads an OAuth client. Resolves with undefined for an unknown one. */
  getOauthClient(input: OauthClientRef): Promise<RegisteredOauthClient | undefined>;

  /** Creates a principal, or sets it active or inactive. */
  setPrincipal(principal: Principal, call: Call): Promise<void>;
}

export function createAccessOperations(deps: AccessDeps): AccessOperations {
  const { storage, clock, secrets, issuer } = deps;
  return {
    async issueAccessToken(input, { actor, wanted }) {
      const { scopes: asked }: { readonly scopes?: unknown } = Object(input);
      requireOptions("issueAccessToken", input, {
        tenantId: id,
        principalId: id,
        oauthClientId: id,
        scopes: scopeList,
        lifeSeconds: wholeTo(longestLife(asked)),
      });
      const { scopes, lifeSeconds: life, ...subject } = input;
      const issuedAt = Math.floor(clock.now() / 1000);
      const grant: Grant = {
        ...subject,
        grantId: secrets.newId(),
        scopes: normalizeScopes(scopes),
        keyId: issuer.currentKeyId(),
        issuedAt,
        expiresAt: issuedAt + (life || longestTokenLife),
        accessTokenId: secrets.newId(),
        brokerTokenId: "",
        popKeyId: "",
      };
      await storage.transact(refOf(), issueAccessToken(grant, actor, clock.now()), { wanted });
      return signed(issuer, grant);
    },

    async reissueAccessToken(tokenId, { wanted }) {
      const { outcome: grant } = await storage.transact(refOf(keyOfGrantPlace(tokenId)), getGrant(tokenId), { wanted });
      if (grant?.accessTokenId !== tokenId || grant.expiresAt * 1000 <= clock.now()) return undefined;
      return signed(issuer, grant);
    },

    async revokeToken(tokenId, { actor, wanted }) {
      await storage.transact(refOf(keyOfGrantPlace(tokenId)), revokeToken(tokenId, actor, clock.now()), { wanted });
    },

    async listGrants(owner) {
      const [granted, revoked] = await Promise.all([
        listValues(storage, grants, owner),
        listValues(storage, revocations, owner),
      ]);
      const now = clock.now();
      const invalid = new Set(revoked.map(({ subjectId }) => subjectId));
      return granted
        .filter(({ grantId, expiresAt }) => expiresAt * 1000 > now && !invalid.has(grantId))
        .sort((one, two) => two.issuedAt - one.issuedAt || (one.grantId < two.grantId ? -1 : 1))
        .slice(0, mostGrants);
    },

    async setOauthClient(input, { actor, wanted }) {
      requireOptions<SetOauthClientInput>("setOauthClient", input, oauthClientRules);
      const { tenantId, oauthClientId } = input;
      const { redirectUris = [], grantTypes = [], requirePushedAuthorizationRequests = false } = input;
      const oauthClient = { ...input, redirectUris, grantTypes, requirePushedAuthorizationRequests };
      const rule = setOauthClient(oauthClient, actor, clock.now());
      const ref = refOf(oauthClients.key(tenantId, oauthClientId));
      const { outcome } = await storage.transact(ref, rule, { wanted });
      return outcome;
    },

    async registerOauthClient(registration, { actor, wanted }) {
      const { tenantId, oauthClientId, approved } = registration;
      if (!approved) {
        const waiting = await listValues(storage, oauthClients, { tenantId, principalId: actor.principalId });
        const isNew = !waiting.some((client) => client.oauthClientId === oauthClientId);
        if (isNew && waiting.length >= mostUnapprovedClients) return false;
      }
      const rule = registerOauthClient(registration, actor, clock.now());
      await storage.transact(refOf(oauthClients.key(tenantId, oauthClientId)), rule, { wanted });
      return true;
    },

    async getOauthClient({ tenantId, oauthClientId }) {
      const [stored] = await storage.readRecords([oauthClients.key(tenantId, oauthClientId)]);
      return oauthClients.read(stored);
    },

    async setPrincipal(principal, { actor, wanted }) {
      requireOptions("setPrincipal", principal, { tenantId: id, principalId: id, active: flag });
      const ref = refOf(principals.key(principal.tenantId, principal.principalId));
      await storage.transact(ref, setPrincipal(principal, actor, clock.now()), { wanted });
    },
  };
}

async function signed(issuer: TokenIssuer, grant: Grant): Promise<IssuedAccessToken> {
  const { grantId, accessTokenId: tokenId, expiresAt } = grant;
  return { accessToken: await issuer.signAccessToken(grant), tokenId, grantId, expiresAt: expiresAt * 1000 };
}
