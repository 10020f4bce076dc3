import { createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, SignJWT } from "jose";
import * as z from "zod";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: z.infer<typeof oauthBody>;
}

/** The JSON of a response, with the members that tests read one by one. */
const oauthBody = z.looseObject({
  access_token: z.string().optional(),
  error: z.string().optional(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  token_type: z.string().optional(),
  user_code: z.string().optional(),
});

/** The parameters of a request. A list sends a parameter more than once. */
export type Parameters = Readonly<Record<string, string | readonly string[]>>;

export async function post(url: string, form: Parameters, headers: Readonly<Record<string, string>> = {}) {
  const pairs = Object.entries(form).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  return answerOf(await fetch(url, { method: "POST", body: new URLSearchParams(pairs), headers }));
}

export async function answerOf(response: Response): Promise<OAuthAnswer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === "" ? {} : oauthBody.parse(JSON.parse(text)),
  };
}

export function textOf({ json }: OAuthAnswer, name: string): string {
  return z.string().parse(json[name]);
}

/** A key that proves its possession. */
export interface TestKey {
  /** Creates a proof for a POST to this URL. */
  prove(url: string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Returns its `dpop_jkt` (RFC 9449 section 10). */
  thumbprint(): Promise<string>;
}

/** Creates a key. Default: a new one. */
export function newKey(privateKey = generateKeyPairSync("ed25519").privateKey): TestKey {
  const jwk = createPublicKey(privateKey).export({ format: "jwk" });
  const header = { typ: "dpop+jwt", alg: "Ed25519", jwk };
  return {
    thumbprint: () => calculateJwkThumbprint(jwk),
    prove: (htu, claims = {}) => {
      const payload = { htm: "POST", htu, jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...claims };
      return new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
    },
  };
}

/** Sends a form with a proof; again with the nonce that the server asks for. */
export async function postWithKey(url: string, form: Parameters, key: TestKey): Promise<OAuthAnswer> {
  const first = await post(url, form, { DPoP: await key.prove(url) });
  if (first.json.error !== "use_dpop_nonce") return first;
  return post(url, form, { DPoP: await key.prove(url, { nonce: first.headers.get("DPoP-Nonce") }) });
}
