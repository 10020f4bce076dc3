import { isRedirectUri, type OauthClient } from "@platform-rpc/server/host";
import * as z from "zod";
import { DocumentError, invalidMetadata } from "./document-error.js";
import { authorizationCodeType, deviceCodeType, refreshTokenType } from "./grants.js";

export type DocumentedClient = Pick<
  OauthClient,
  "name" | "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"
>;

const knownGrantTypes = [authorizationCodeType, refreshTokenType, deviceCodeType];

// Callers read the rules: never let one repeat what a document contains.
const nameRule = "must have 1 to 64 visible characters";
const secretRule = "must be absent: clients have no secret";
const authenticationRule = "must be none, or absent";
const redirectUrisRule = "must be a list of at most 10 URIs";
const redirectUriRule =
  "must be a loopback http URI, an https URI with a host in lower case, or the scheme of an app that contains a dot, followed by :/; without fragment and user information";
const redirectNeededRule = `must contain a URI, because ${authorizationCodeType} needs one`;
const grantTypesRule = `must be absent, or a list that contains ${authorizationCodeType} or ${deviceCodeType}`;
const responseTypesRule = "must be a list of response types";
const codeRule = `must be absent, or contain code, because the client may use ${authorizationCodeType}`;
const pushedRule = "must be true or false";

/** The fields of RFC 7591 section 2 and RFC 9126 section 6. Others are ignored, also `scope`. */
const documentSchema = z
  .looseObject({
    client_name: z.string(nameRule).regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,64}$/u, nameRule),
    client_secret: z.undefined(secretRule).optional(),
    token_endpoint_auth_method: z.literal("none", authenticationRule).optional(),
    redirect_uris: z
      .array(z.string(redirectUriRule).refine(isRedirectUri, redirectUriRule), redirectUrisRule)
      .max(10, redirectUrisRule)
      .default([]),
    grant_types: z.array(z.string(grantTypesRule), grantTypesRule).optional(),
    response_types: z.array(z.string(responseTypesRule), responseTypesRule).optional(),
    require_pushed_authorization_requests: z.boolean(pushedRule).default(false),
  })
  // A refresh token alone lets nobody sign in.
  .refine(
    ({ grant_types: types }) =>
      types === undefined || types.includes(authorizationCodeType) || types.includes(deviceCodeType),
    { path: ["grant_types"], error: grantTypesRule },
  )
  .refine(
    ({ grant_types: types, redirect_uris: uris }) =>
      uris.length > 0 || types === undefined || types.includes(deviceCodeType),
    { path: ["redirect_uris"], error: redirectNeededRule },
  )
  .refine(
    ({ grant_types: types, redirect_uris: uris, response_types: responses }) =>
      (responses?.includes("code") ?? true) || !(types?.includes(authorizationCodeType) ?? uris.length > 0),
    { path: ["response_types"], error: codeRule },
  );

/**
 * Reads the client metadata document of a URL. The name of its client begins with the host, which nobody else can have.
 *
 * @throws DocumentError NOT_JSON, WRONG_CLIENT_ID, or INVALID_METADATA with the rule that the document breaks.
 */
export function readDocument(url: string, text: string): DocumentedClient {
  const json = readJson(text);
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new DocumentError("NOT_JSON");
  if (!("client_id" in json) || json.client_id !== url) throw new DocumentError("WRONG_CLIENT_ID");
  const { data, error } = documentSchema.safeParse(json);
  if (data === undefined) throw invalidMetadata(brokenRule(error));
  const { client_name: name, grant_types: grantTypes = [] } = data;
  return {
    name: `${new URL(url).hostname}: ${name}`,
    redirectUris: data.redirect_uris,
    grantTypes: knownGrantTypes.filter((type) => grantTypes.includes(type)),
    requirePushedAuthorizationRequests: data.require_pushed_authorization_requests,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the first rule that a document breaks, with its field, such as `redirect_uris[1]`. */
function brokenRule({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : String(key))).join("");
  return `${field} ${issue?.message}`;
}
