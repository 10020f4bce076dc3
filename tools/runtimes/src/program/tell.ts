import { createProofKey } from "@platform-rpc/client/pop";
import { callPlatform } from "./call-platform.ts";
import { openPublished } from "./open-published.ts";
import type { Plot } from "./plot.ts";
import { sealAndOpen } from "./seal-and-open.ts";
import type { Told } from "./told.ts";

/** The request that the proof is for. */
export const provenRequest = { htm: "POST", htu: "https://broker.example/run", accessToken: "a-broker-token" };
export const sealedText = "Grüße, 世界";

/** What a downstream team does with @platform-rpc/client, in whatever runtime this is. */
export async function tell({ scenes, vectors }: Plot): Promise<Told> {
  const proofKey = await createProofKey();
  const [connect, json, opened, published, jwt] = await Promise.all([
    callPlatform("@platform-rpc/client", scenes["@platform-rpc/client"]),
    callPlatform("@platform-rpc/client/json", scenes["@platform-rpc/client/json"]),
    sealAndOpen(sealedText),
    openPublished(vectors),
    proofKey.createProof(provenRequest),
  ]);
  return {
    runtime: { userAgent: navigator.userAgent, takesRedirectError: takesRedirectError() },
    entries: { "@platform-rpc/client": connect, "@platform-rpc/client/json": json },
    ...{ opened, published, proof: { jwt, thumbprint: proofKey.thumbprint } },
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
