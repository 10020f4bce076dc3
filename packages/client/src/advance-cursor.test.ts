import { describe, expect, it } from "vitest";
import { advanceCursor } from "./advance-cursor.js";

const at = (sequence: number, vaultId = "vault-1") => ({ vaultId, sequence });

describe("DECISIONS section 3: advanceCursor accepts a returned cursor only at the local position + 1", () => {
  it.each([
    { local: 41, returned: 42, outcome: { advance: at(42) } },
    { local: 0, returned: 1, outcome: { advance: at(1) } },
    { local: 41, returned: 43, outcome: { pull: { vaultId: "vault-1", after: 41 } } },
    { local: 42, returned: 42, outcome: { advance: at(42) } },
    { local: 42, returned: 7, outcome: { advance: at(42) } },
  ])("returns $outcome for local $local and returned $returned", ({ local, returned, outcome }) => {
    expect(advanceCursor(at(local), at(returned))).toEqual(outcome);
  });

  it("rejects cursors of different vaults", () => {
    expect(() => advanceCursor(at(1), at(2, "vault-2"))).toThrow(TypeError);
  });
});
