import type { ItemContent } from "@platform-rpc/items/item-content";
import { emptyFields } from "@platform-rpc/items/kind-fields";
import { kindInSentence } from "@platform-rpc/items/kinds";
import { useState } from "react";
import { Icon } from "../elements/icon.js";
import { useNavigate } from "../elements/link.js";
import { iconOfKind } from "../items/kind-icon.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import { canWrite, type OwnVault } from "../vaults/own-vault.js";
import { ItemForm } from "./item-form.js";
import { createSshKey, type SshKey } from "./ssh-key.js";
import { useDraft, useSaving } from "./use-editing.js";
import "./editing.css";

interface NewItemProps {
  readonly kind: string;
  /** The vault whose list is shown. Undefined: all vaults. */
  readonly vaultId: string | undefined;
  readonly onCancel: () => void;
}

/** Writes a new item. */
export function NewItem({ kind, vaultId, onCancel }: NewItemProps) {
  const { session } = useConsole();
  const { vaults } = useLibrary();
  const navigate = useNavigate();
  const [itemId] = useState(() => crypto.randomUUID());
  const [chosen, setChosen] = useState(vaultId);
  const start = { content: { title: "", fields: emptyFields(kind) }, baseVersion: 0 };
  const { written, restored, change, discard } = useDraft({ draftKey: `new ${kind}`, start });
  const { busy, error, save } = useSaving();
  // The form has its own fields while they are written: it begins again with those that were made.
  const [made, setMade] = useState(0);
  const writable = vaults?.filter((vault) => !vault.deleted && canWrite(vault));
  if (written === undefined || writable === undefined) return <p role="status">Loading…</p>;
  const { content } = written;
  const vault = vaultFor(writable, [chosen, session.principalId]);
  if (vault === undefined) {
    return <p className="notice">You cannot write in any of your vaults. Create a vault to add items.</p>;
  }
  const onSave = async () => {
    const written = { vault, itemId, kind, content };
    let saved = await save({ ...written, baseVersion: 0 });
    // Nobody else knows this id: the server has stored what was sent before, and its response was lost.
    if (saved.outcome === "conflict") saved = await save({ ...written, baseVersion: saved.now.version });
    if (saved.outcome !== "saved") return;
    await discard();
    navigate({ to: ".", search: { item: `${vault.vaultId}/${itemId}` }, replace: true });
  };
  return (
    <article aria-labelledby="new-item">
      <div className="detail-head">
        <span className="kind large">
          <Icon name={iconOfKind(kind)} />
        </span>
        <div>
          <h2 id="new-item">New {kindInSentence(kind)}</h2>
        </div>
      </div>
      {restored && <p className="notice">This continues what you typed before and have not saved.</p>}
      {kind === "ssh_key" && !content.fields.some(({ name, value }) => keyFields.includes(name) && value !== "") && (
        <p>
          <button
            type="button"
            onClick={async () => {
              change(withSshKey(content, await createSshKey(content.title)));
              setMade(made + 1);
            }}
          >
            Create a key pair
          </button>{" "}
          Ed25519, in the format of OpenSSH, made in your browser.
        </p>
      )}
      <ItemForm
        key={made}
        kind={kind}
        content={content}
        onChange={change}
        busy={busy}
        error={error}
        onSave={() => void onSave()}
        onDiscard={() => void discard().then(onCancel)}
      >
        {writable.length > 1 && (
          <>
            <label htmlFor="new-item-vault">Vault</label>
            <select id="new-item-vault" value={vault.vaultId} onChange={({ target }) => setChosen(target.value)}>
              {writable.map((each) => (
                <option key={each.vaultId} value={each.vaultId}>
                  {each.name}
                </option>
              ))}
            </select>
          </>
        )}
      </ItemForm>
    </article>
  );
}

/** The fields of an SSH key that is created. What the person has typed into them is not replaced. */
const keyFields: readonly string[] = ["public_key", "private_key", "fingerprint"];

function withSshKey(content: ItemContent, { publicKey, privateKey, fingerprint }: SshKey): ItemContent {
  const values = new Map(Object.entries({ public_key: publicKey, private_key: privateKey, fingerprint }));
  const fields = content.fields.map((field) => ({ ...field, value: values.get(field.name) ?? field.value }));
  return { ...content, fields };
}

function vaultFor(vaults: readonly OwnVault[], wanted: readonly (string | undefined)[]): OwnVault | undefined {
  const found = wanted.flatMap((vaultId) => vaults.find((vault) => vault.vaultId === vaultId) ?? []);
  return found[0] ?? vaults[0];
}
