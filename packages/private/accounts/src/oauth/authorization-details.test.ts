import { describe, expect, it } from "vitest";
import { OAuthError } from "../http/oauth-error.js";
import { readAuthorizationDetails } from "./authorization-details.js";

const now = Date.UTC(2026, 10, 27);
const later = now / 1000 + 3600;

const readText = (text: string) => readAuthorizationDetails(new Map([["authorization_details", text]]), now);
const read = (...details: readonly unknown[]) => readText(JSON.stringify(details));
function problemOf(text: string): string {
  try {
    readText(text);
  } catch (thrown) {
    if (thrown instanceof OAuthError && thrown.code === "invalid_authorization_details") return thrown.message;
    throw thrown;
  }
  return "";
}

describe("authorization_details (RFC 9396 section 2)", () => {
  it("limit what the software asks for", () => {
    const lists = {
      vaults: ["v-1", "v-2"],
      actions: ["read", "delete", "use"],
      hosts: ["a.example", "b.example:8443"],
    };
    const asked = { ...lists, max_deletions: 0, max_uses: 50, expires_at: later };
    const bounds = { ...lists, maxDeletions: 0, maxUses: 50, expiresAt: 1000 * later };
    expect(read({ type: "vault", ...asked })).toEqual(bounds);
  });

  it("limit nothing that they do not name", () => {
    expect(read({ type: "vault" })).toEqual({});
    expect(readAuthorizationDetails(new Map(), now)).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ["text that is not JSON", "x", "authorization_details must be an array"],
    ["no object", "[]", "authorization_details must be an array"],
    ["two objects of a type", '[{"type":"vault"},{"type":"vault"}]', "authorization_details must be an array"],
    ["an element that is not an object", "[1]", "authorization_details[0] must be an object"],
    ["no type", "[{}]", "authorization_details[0].type must be vault"],
    ["an unknown member", '[{"type":"vault","secret":1}]', "authorization_details[0] must be an object"],
    ["a member of every object", '[{"type":"vault","__proto__":1}]', "authorization_details[0] must be an object"],
    ["a member twice, once escaped", '[{"type":"vault","\\u0074ype":"vault"}]', "each once"],
    ["no vault", '[{"type":"vault","vaults":[]}]', ".vaults must be 1 to 20 different ids"],
    ["a vault twice", '[{"type":"vault","vaults":["v","v"]}]', ".vaults must be 1 to 20 different ids"],
    ["an id that no vault has", '[{"type":"vault","vaults":["a b"]}]', ".vaults[0] must be 1 to 20 different ids"],
    ["21 vaults", JSON.stringify([{ type: "vault", vaults: Array.from({ length: 21 }, String) }]), ".vaults must be 1"],
    ["no action", '[{"type":"vault","actions":[]}]', ".actions must be different ones of read, write"],
    ["an action twice", '[{"type":"vault","actions":["read","read"]}]', ".actions must be different ones of"],
    ["fewer than no deletions", '[{"type":"vault","max_deletions":-1}]', ".max_deletions must be an integer from 0"],
    ["a part of a deletion", '[{"type":"vault","max_deletions":0.5}]', ".max_deletions must be an integer from 0"],
    ["too many deletions", '[{"type":"vault","max_deletions":4294967296}]', ".max_deletions must be an integer"],
    ["a part of a use", '[{"type":"vault","max_uses":0.5}]', ".max_uses must be an integer from 0"],
    ["no host", '[{"type":"vault","hosts":[]}]', ".hosts must be 1 to 20 different hosts"],
    ["a host twice", '[{"type":"vault","hosts":["a.b","a.b"]}]', ".hosts must be 1 to 20 different hosts"],
    ...["https://a.b", "a.b/c", "A.b", "*.a.b", "a.b,c.d", ".a.b", "a.b.", "a.b:443", "u@a.b", "127.1", "", ":80"].map(
      (host): [string, string, string] => [
        `the host ${host}`,
        JSON.stringify([{ type: "vault", hosts: [host] }]),
        ".hosts[0] must be 1 to 20 different hosts",
      ],
    ),
    ["now", `[{"type":"vault","expires_at":${now / 1000}}]`, ".expires_at must be a time in the future"],
    ["a time in milliseconds", `[{"type":"vault","expires_at":${now}}]`, ".expires_at must be a time in the future"],
    ["a text that is too long for the URL of the sign-in page", `[{"type":"vault"}${" ".repeat(4096)}]`, "longer than"],
  ])("are rejected with %s (section 5)", (_, text, problem) => {
    const message = problemOf(text);
    expect(message).toContain(problem);
    expect(message).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(message).not.toMatch(/secret|shred|payment|a b/);
  });

  it("accept a colon in the id of a vault, and white space", () => {
    expect(readText('[ {"type": "vault",\n"vaults": ["a:b"]} ]')).toEqual({ vaults: ["a:b"] });
  });
});
