import { initial } from "./0001-initial.js";
import { clock } from "./0002-clock.js";
import { keys } from "./0003-keys.js";
import { checksums } from "./0004-checksums.js";
import { epochs } from "./0005-epochs.js";
import { linkedHistory } from "./0006-linked-history.js";
import { purge } from "./0007-purge.js";
import { auditSeals } from "./0008-audit-seals.js";
import { records } from "./0009-records.js";
import { vaultsOfMembers } from "./0010-vaults-of-members.js";
import { recordChecksums } from "./0011-record-checksums.js";
import { tombstones } from "./0012-tombstones.js";
import { redirectUris } from "./0013-redirect-uris.js";

/**
 * The migrations, oldest first: the one at index n migrates from version n to version n + 1. Migrations are forward only,
 * and a released one is never edited.
 */
export const migrations: readonly string[] = [
  initial,
  clock,
  keys,
  checksums,
  epochs,
  linkedHistory,
  purge,
  auditSeals,
  records,
  vaultsOfMembers,
  recordChecksums,
  tombstones,
  redirectUris,
];
