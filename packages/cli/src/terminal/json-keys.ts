const summary = ["itemId", "vaultId", "kind", "version", "deleted", "updatedAt"];
const content = ["title", "tags", "favourite", "username", "website", "isVerified"];
const listed = [...summary, "deletedBy", "vaultFinding", ...content, "finding", "what", "seen", "sent"];
const account = ["apiUrl", "accountsUrl", "principalId", "displayName", "tenantId", "scopes"];
const prompt = ["authorizationUri", "userCode", "verificationUri", "verificationUriComplete", "expiresAt"];

/**
 * The keys that `--json` prints, by command: those of objects in objects, too. They are listed in the help, and so in the record of the API.
 * `platform` has those of standard error, for all commands.
 */
export const jsonKeys = {
  platform: ["error", "message", "reason", "requestId", "notice"],
  login: [...prompt, ...account],
  whoami: [...account, "checked", "unlockedUntil"],
  unlock: ["code", "page", "asks", "expiresAt", "vaults", "leftOut"],
  "vaults list": ["vaultId", "name", "role", "hasKey", "isDefault"],
  "vaults use": ["vaultId", "name"],
  "vaults create": ["page", "vaultId", "name"],
  "items list": listed,
  "items get": [...listed, "fields", "name", "type", "fileName", "value", "reference"],
  "items create": summary,
  "items edit": summary,
  "items copy": ["itemId", "vaultId", "field", "isCleared"],
  "items delete": summary,
  "items restore": summary,
  "broker token": [...prompt, "accessToken"],
  watch: ["sequence", ...summary],
  doctor: ["name", "ok", "text"],
};
