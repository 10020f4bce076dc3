import { isRedirectUri, type OauthClient } from "@platform-rpc/server/host";
import * as z from "zod";
import { DocumentError, invalidMetadata } from "./document-error.js";
import { authorizationCodeType, deviceCodeType, refreshTokenType } from "./grants.js";

export type DocumentedClient = Pick<
  OauthClient,
  "name" | "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"
>;

export interface ReadDocument {
  readonly described: DocumentedClient;
  /** The members that were left out, each with its rule, such as `redirect_uris[1] must be …`. At most 10. */
  readonly leftOut: readonly string[];
}

const knownGrantTypes = [authorizationCodeType, refreshTokenType, deviceCodeType];
const mostCharacters = 64;
const mostUris = 10;
const mostLeftOut = 10;

// Callers, people and the log read the rules: never let one repeat what a document contains.
const nameRule = "client_name must have visible characters, and none that change the direction of text";
const longNameRule = `client_name must have at most ${mostCharacters} characters: the others are left out`;
const secretRule = "client_secret must be absent: clients have no secret";
const authenticationRule =
  "token_endpoint_auth_method must be none or absent, or token_endpoint_auth_methods_supported must contain none: clients do not authenticate here, and private_key_jwt is not supported";
const readAsNone =
  "token_endpoint_auth_method is read as none, because token_endpoint_auth_methods_supported contains none";
const redirectUriRule =
  "must be a loopback http URI, an https URI, or the scheme of an app that contains a dot, followed by :/; without fragment and user information";
const manyUrisRule = `redirect_uris must have at most ${mostUris} URIs: the others are left out`;
const redirectNeededRule = `redirect_uris must contain a URI, because ${authorizationCodeType} needs one`;
const grantTypesRule = `grant_types must be absent, or a list that contains ${authorizationCodeType} or ${deviceCodeType}`;
const codeRule = `response_types must be absent, or contain code, because the client may use ${authorizationCodeType}`;
const pushedRule = "require_pushed_authorization_requests must be true or false";

/**
 * The characters of a name: none is invisible or changes the direction of text (`Cf`), except that a zero-width joiner may connect the
 * parts of an emoji.
 */
const visible =
  /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic}))+$/u;

/**
 * Reads the client metadata document of a URL: the members of RFC 7591 section 2 and RFC 9126 section 6, one by one. Other members are
 * ignored, also `scope`, and null counts as absent. A value that breaks a rule is left out if the client can sign in without it. The name
 * of the client begins with the host, which nobody else can have.
 *
 * @throws DocumentError NOT_JSON, WRONG_CLIENT_ID, or INVALID_METADATA with the rule that the document breaks.
 */
export function readDocument(url: string, text: string): ReadDocument {
  const { data: members } = z.record(z.string(), z.unknown()).safeParse(readJson(text));
  if (members === undefined) throw new DocumentError("NOT_JSON");
  const { client_id, client_secret, client_name, require_pushed_authorization_requests: pushed } = members;
  if (client_id !== url) throw new DocumentError("WRONG_CLIENT_ID");
  if (!isAbsent(client_secret)) throw invalidMetadata(secretRule);
  const authentication = readAuthentication(members);
  const grants = readGrants(members);
  const name = readName(client_name);
  const { host } = new URL(url);
  const leftOut = [...authentication, ...name.leftOut, ...grants.leftOut];
  if (typeof (pushed ?? false) !== "boolean") leftOut.push(pushedRule);
  return {
    described: {
      name: name.text === "" ? host : `${host}: ${name.text}`,
      redirectUris: grants.redirectUris,
      grantTypes: grants.grantTypes,
      requirePushedAuthorizationRequests: pushed === true,
    },
    leftOut: leftOut.slice(0, mostLeftOut),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Checks that the client need not authenticate, and returns what is left out of how it can. @throws DocumentError INVALID_METADATA */
function readAuthentication({
  token_endpoint_auth_method: method,
  token_endpoint_auth_methods_supported: methods,
}: Members): readonly string[] {
  if (method === "none") return [];
  const isPublic = listOf(methods)?.includes("none") ?? isAbsent(method);
  if (!isPublic) throw invalidMetadata(authenticationRule);
  return isAbsent(method) ? [] : [readAsNone];
}

/** Reads with which grants the client can sign in. @throws DocumentError INVALID_METADATA: with none */
function readGrants({ redirect_uris, grant_types, response_types }: Members) {
  const listed = listOf(redirect_uris) ?? [];
  const types = listOf(grant_types);
  const usesCode = types?.includes(authorizationCodeType) ?? true;
  const usesDevice = types?.includes(deviceCodeType) ?? listed.length === 0;
  // A refresh token alone lets nobody sign in.
  if (!usesCode && !usesDevice) throw invalidMetadata(grantTypesRule);

  const usable = [...new Set(listed.filter(isUsable))];
  const leftOut = listed.flatMap((uri, index) => (isUsable(uri) ? [] : [`redirect_uris[${index}] ${redirectUriRule}`]));
  if (usable.length > mostUris) leftOut.push(manyUrisRule);
  const answered = !usesCode || (listOf(response_types)?.includes("code") ?? true);
  if (!answered && usable.length > 0) leftOut.push(codeRule);
  const redirectUris = answered ? usable.slice(0, mostUris) : [];
  if (!usesDevice && redirectUris.length === 0) {
    throw invalidMetadata(usable.length > 0 ? codeRule : (leftOut[0] ?? redirectNeededRule));
  }
  return { redirectUris, grantTypes: knownGrantTypes.filter((type) => types?.includes(type)), leftOut };
}

function isUsable(uri: unknown): uri is string {
  return typeof uri === "string" && isRedirectUri(uri);
}

/** Returns the name that a client gives itself, in visible characters; empty without one. */
function readName(name: unknown): { readonly text: string; readonly leftOut: readonly string[] } {
  if (isAbsent(name)) return { text: "", leftOut: [] };
  const characters = typeof name === "string" ? [...name.trim()] : [];
  // The cut may leave a part of an emoji, with its joiner.
  const text = characters
    .slice(0, mostCharacters)
    .join("")
    .replace(/\u200d$/, "");
  if (!visible.test(text)) return { text: "", leftOut: [nameRule] };
  return { text, leftOut: characters.length > mostCharacters ? [longNameRule] : [] };
}

/** Returns a member as a list, also if it is one value. Undefined: it is absent, or null. */
function listOf(value: unknown): readonly unknown[] | undefined {
  return isAbsent(value) ? undefined : [value].flat();
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function readJson(text: string): unknown {
  try {
    // RFC 8259 section 8.1: a reader may ignore a byte order mark.
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}
