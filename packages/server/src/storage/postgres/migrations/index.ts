import { initial } from "./0001-initial.js";
import { load } from "./0002-load.js";
import { commit } from "./0003-commit.js";
import { listChanges } from "./0004-list-changes.js";
import { purge } from "./0005-purge.js";
import { auditMonths } from "./0006-audit-months.js";
import { epochs } from "./0007-epochs.js";
import { processes } from "./0008-processes.js";
import { check } from "./0009-check.js";
import { auditSeals } from "./0010-audit-seals.js";
import { records } from "./0011-records.js";
import { vaultsOfMembers } from "./0012-vaults-of-members.js";
import { listAudit } from "./0013-list-audit.js";
import { history } from "./0014-history.js";
import { redirectUris } from "./0015-redirect-uris.js";

/**
 * The migrations, oldest first: the one at index n migrates from version n to version n + 1. Migrations are forward only,
 * and a released one is never edited. A new version of a function gets a new name, because processes of the version before
 * still call the old one while a new version is rolled out.
 */
export const migrations: readonly string[] = [
  initial,
  load,
  commit,
  listChanges,
  purge,
  auditMonths,
  epochs,
  processes,
  check,
  auditSeals,
  records,
  vaultsOfMembers,
  listAudit,
  history,
  redirectUris,
];
