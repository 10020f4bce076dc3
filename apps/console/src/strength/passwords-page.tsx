import { timestampDate } from "@bufbuild/protobuf/wkt";
import { passwordsOf, reusedPasswords } from "@platform-rpc/items/reused-passwords";
import { addressOf } from "@platform-rpc/items/web-address";
import { type ReactNode, useMemo } from "react";
import { Link } from "../elements/link.js";
import { Ago } from "../elements/moment.js";
import { useTitle } from "../elements/use-title.js";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary, useVault } from "../vaults/library.js";
import { canWrite } from "../vaults/own-vault.js";
import { leastScore } from "./strength.js";
import { useStrengths } from "./use-strength.js";

/** A password that was not changed for so long is old, in milliseconds. */
const oldMs = 3 * 365 * 24 * 60 * 60_000;

/** The passwords that a person should change: those of several items, those that are easy to guess, and old ones. */
export function PasswordsPage() {
  useTitle("Passwords");
  const { rows } = useLibrary();
  const live = useMemo(() => rows.filter(({ item }) => !item.deleted), [rows]);
  const open = useMemo(() => live.filter(({ content }) => content?.fields !== undefined), [live]);
  const withPassword = useMemo(() => open.filter((row) => passwordsIn(row).length > 0), [open]);
  // The same value while nothing changes: everything is measured again for another one.
  const passwords = useMemo(() => [...new Set(withPassword.flatMap(passwordsIn))], [withPassword]);
  const strengths = useStrengths(passwords);
  const reused = useMemo(() => {
    const byKey = new Map(withPassword.map((row) => [row.key, row]));
    const fields = new Map(withPassword.map(({ key, content }) => [key, { fields: content?.fields ?? [] }]));
    return reusedPasswords(fields).map(({ itemIds }) => itemIds.flatMap((key) => byKey.get(key) ?? []));
  }, [withPassword]);
  const weak = withPassword.flatMap((row) => {
    const measured = passwordsIn(row).map((password) => strengths.get(password));
    const found = measured.find((strength) => strength && strength.score < leastScore);
    return found ? [{ row, reason: found.reason }] : [];
  });
  const old = withPassword.filter((row) => Date.now() - changedAt(row).getTime() > oldMs);
  const improvable = new Set([...reused.flat(), ...weak.map(({ row }) => row), ...old]).size;
  const left = passwords.length - strengths.size;
  return (
    <>
      <h1>Passwords</h1>
      <p role="status">
        {left > 0 ? `Checking ${left} of ${passwords.length} passwords…` : summaryOf(improvable, passwords.length)}
      </p>
      <p className="hint">
        Your browser has looked at {open.length} of {countOf(live)}, and has sent nothing.
      </p>
      {reused.map((group) => (
        <Group key={group[0]?.key} heading={`One password in ${countOf(group)}`}>
          {group.map((row) => (
            <Improvable key={row.key} row={row} />
          ))}
        </Group>
      ))}
      {weak.length > 0 && (
        <Group heading="Easy to guess">
          {weak.map(({ row, reason }) => (
            <Improvable key={row.key} row={row}>
              {reason}
            </Improvable>
          ))}
        </Group>
      )}
      {old.length > 0 && (
        <Group heading="Not changed for three years">
          {old.map((row) => (
            <Improvable key={row.key} row={row}>
              Changed <Ago at={changedAt(row)} />
            </Improvable>
          ))}
        </Group>
      )}
    </>
  );
}

function passwordsIn({ content }: ItemRow): readonly string[] {
  return passwordsOf(content?.fields ?? []);
}

function changedAt({ item }: ItemRow): Date {
  return item.updatedAt === undefined ? new Date() : timestampDate(item.updatedAt);
}

function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <section aria-label={heading}>
      <h2>{heading}</h2>
      <ul className="card">{children}</ul>
    </section>
  );
}

function Improvable({ row, children }: { readonly row: ItemRow; readonly children?: ReactNode }) {
  const vault = useVault(row.vaultId);
  const address = row.content?.fields?.map(addressOf).find((found) => found !== undefined);
  return (
    <li>
      <Link to={`/vaults/${row.vaultId}`} search={{ item: row.key }} dir="auto">
        {row.title}
      </Link>
      {children !== undefined && <p className="hint">{children}</p>}
      <p className="hint">
        {address === undefined ? (
          canWrite(vault) && (
            <Link to={`/vaults/${row.vaultId}`} search={{ item: row.key, edit: true }}>
              Change it here
            </Link>
          )
        ) : (
          <a href={address} target="_blank" rel="noreferrer noopener">
            Change it at {new URL(address).host}
          </a>
        )}
      </p>
    </li>
  );
}

function summaryOf(improvable: number, checked: number): string {
  if (checked === 0) return "There are no passwords to check yet.";
  if (improvable === 0) return "Every password is strong, and used once.";
  return `${countOf({ length: improvable })} to improve.`;
}
