import type { Finding } from "../finding.ts";
import type { Contract } from "../model/contract.ts";
import { readImage } from "../model/read-image.ts";
import { asJson, bufFindings } from "./buf-findings.ts";
import { startBuf } from "./run-buf.ts";

/** Builds everything under proto/ with buf. Returns the findings of buf when it cannot. */
export async function buildContract(root: string): Promise<Contract | { readonly faults: readonly Finding[] }> {
  const built = await startBuf(root, ["build", "-o", "-#format=binpb", ...asJson]);
  return built.ok ? readImage(built.output) : { faults: bufFindings(built) };
}
