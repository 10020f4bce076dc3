import { describe, expect, it } from "vitest";
import { createBrokerTokenVerifier } from "../verifier.js";
import { createAuthenticate, createPublicUrl } from "./authenticate.js";

describe("the URL that a caller requested", () => {
  it.each([
    ["the origin", "https://broker.example", "/run?page=2", "https://broker.example/run?page=2"],
    ["a slash at the end", "https://broker.example/", "/run", "https://broker.example/run"],
    ["a prefix that a proxy removes", "https://broker.example/api/", "/run", "https://broker.example/api/run"],
    ["a URL object", new URL("https://broker.example"), "/run", "https://broker.example/run"],
    [
      "an absolute target, whose host is ignored",
      "https://broker.example",
      "http://evil.example/run?x",
      "https://broker.example/run?x",
    ],
    [
      "a path that looks like a host",
      "https://broker.example",
      "//evil.example/run",
      "https://broker.example//evil.example/run",
    ],
    ["a target that would extend the host", "https://broker.example", ".evil.example/run", "https://broker.example/"],
    ["a target with an opaque path", "https://broker.example", "mailto:x", "https://broker.example/"],
  ])("%s", (_, publicUrl, target, expected) => {
    expect(createPublicUrl(publicUrl)(target)).toBe(expected);
  });

  it.each([
    "",
    "ftp://broker.example",
    "https://broker.example?x",
    "https://broker.example#x",
    "https://user:secret@broker.example",
  ])("rejects %j as publicUrl, without repeating a password", (publicUrl) => {
    const verifier = createBrokerTokenVerifier({ keys: () => undefined, issuer: "iss", audience: "broker" });
    const create = () => createAuthenticate({ verifier, publicUrl });
    expect(create).toThrow(/^createBrokerAuth: publicUrl must be the http or https URL /);
    expect(create).not.toThrow(/secret/);
  });
});
