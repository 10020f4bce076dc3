import { createAuditVerifier } from "../../audit/audit-verifier.js";
import { auditLine } from "../../domain/model/audit-seal.js";
import type { Storage } from "../../ports/storage.js";

/** Returns what the verification of a whole audit trail finds, and the number of its rows without a seal. */
export async function verifyTrail(storage: Pick<Storage, "readAudit">, heads: readonly string[] = []) {
  const verifier = createAuditVerifier({ heads });
  for (let position = 0; ; ) {
    const page = await storage.readAudit(position, 100);
    for (const entry of page.entries) {
      if ("trail" in entry) verifier.seal(entry);
      else verifier.row({ ...entry, line: auditLine(entry) });
    }
    ({ position } = page);
    if (!page.hasMore) return { ...verifier.end(), unsealed: page.unsealed };
  }
}
