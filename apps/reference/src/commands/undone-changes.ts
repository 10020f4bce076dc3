/** Returns the lines that list what an operator must repeat after a restore. */
export function undoneChanges(keysFile: string): string[] {
  return [
    "All changes since the backup are undone. Repeat these before callers reach the platform:",
    "  - deactivate principals, disable OAuth clients and narrow allowlists that were restricted since the backup",
    "  - remove vault members that were removed since the backup",
    "  - revoke tokens of foreign issuers that were revoked since the backup",
    "  - delete items that were deleted since the backup: they exist again, including content that was shredded since",
    "If the backup is older than an hour, nothing is shredded for a day, or until you run `platform trust-clock`.",
    `The backup does not contain the keys: ${keysFile} is unchanged. See docs/backup.md.`,
  ];
}
