import { createProofKey } from "@platform-rpc/client/pop";
import { callPlatform } from "./call-platform.ts";
import { openPublished } from "./open-published.ts";
import type { ProgramInput } from "./program-input.ts";
import type { ProgramResult } from "./program-result.ts";
import { sealAndOpen } from "./seal-and-open.ts";

/** The request in the proof of possession. */
export const provenRequest = { htm: "POST", htu: "https://broker.example/run", accessToken: "a-broker-token" };
export const sealedText = "Grüße, 世界";

/** Uses every entry of @platform-rpc/client as an application does, in the current runtime. */
export async function runProgram({ fixtures, vectors }: ProgramInput): Promise<ProgramResult> {
  const proofKey = await createProofKey();
  const [connect, json, opened, published, jwt] = await Promise.all([
    callPlatform("@platform-rpc/client", fixtures["@platform-rpc/client"]),
    callPlatform("@platform-rpc/client/json", fixtures["@platform-rpc/client/json"]),
    sealAndOpen(sealedText),
    openPublished(vectors),
    proofKey.createProof(provenRequest),
  ]);
  return {
    runtime: { userAgent: navigator.userAgent, takesRedirectError: takesRedirectError() },
    entries: { "@platform-rpc/client": connect, "@platform-rpc/client/json": json },
    opened,
    published,
    proof: { jwt, thumbprint: proofKey.thumbprint },
  };
}

function takesRedirectError(): boolean {
  try {
    new Request("https://platform.example/", { redirect: "error" });
    return true;
  } catch {
    return false;
  }
}
