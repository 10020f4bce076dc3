import { expect, it, onTestFinished, vi } from "vitest";
import { createProofKey } from "../pop/proof-key.js";
import { createRecipientKeys } from "./key-pairs.js";

it.each([
  ["Node 18", undefined],
  ["a page without https", {}],
])("%s, which has no WebCrypto, gets an error that says so", async (_, crypto) => {
  vi.stubGlobal("crypto", crypto);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const message =
    "WebCrypto is missing. Use Node 20 or newer; in a browser, serve the page over https or from localhost.";
  await expect(createRecipientKeys()).rejects.toThrow(message);
  await expect(createProofKey()).rejects.toThrow(message);
});
