import { saveText } from "@platform-rpc/accounts/browser/output/save-text";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld } from "../elements/sign-in-again.js";
import { useTitle } from "../elements/use-title.js";
import { countOf } from "../items/count-of.js";
import { IdentityProof } from "../security/prove-dialog.js";
import { callAccount } from "../session/call-account.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import { type ExportFormat, makeFile, nameOfFile } from "./make-file.js";
import { NewPassphrase, passphraseProblem } from "./new-passphrase.js";
import { readContents } from "./read-contents.js";
import { isExported, Remarks } from "./remarks.js";
import "./export.css";

export function ExportPage() {
  useTitle("Export");
  return (
    <>
      <h1>Export</h1>
      <ExportForm />
    </>
  );
}

interface ExportSheetProps {
  readonly selected: ReadonlySet<string>;
  readonly onClose: () => void;
}

export function ExportSheet({ selected, onClose }: ExportSheetProps) {
  return (
    <Sheet title={`Export ${countOf({ length: selected.size })}`} onClose={onClose}>
      <ExportForm selected={selected} />
    </Sheet>
  );
}

interface ExportFormProps {
  /** The keys of the items. Undefined: the person chooses a vault. The hash of the address is the one that is chosen at first. */
  readonly selected?: ReadonlySet<string>;
}

function ExportForm({ selected }: ExportFormProps) {
  const { session, members } = useConsole();
  const { vaults = [], rows, feeds } = useLibrary();
  const [vaultId, setVaultId] = useState(location.hash.slice(1));
  const [format, setFormat] = useState<ExportFormat>("encrypted-file");
  const [passphrase, setPassphrase] = useState({ first: "", again: "" });
  const [problem, setProblem] = useState<string>();
  // Of a vault that nobody has shared the key of, nothing can be opened.
  const openable = vaults.filter(({ deleted, key }) => !deleted && key?.wrappedKey !== "");
  const wanted = rows.filter(({ item, key }) => !item.deleted && (selected === undefined || selected.has(key)));
  const chosen = openable.filter((vault) =>
    selected === undefined
      ? vaultId === "" || vault.vaultId === vaultId
      : wanted.some((row) => row.vaultId === vault.vaultId),
  );
  const live = wanted.filter((row) => chosen.some((vault) => vault.vaultId === row.vaultId));
  const isLoading =
    chosen.some((vault) => feeds.get(vault.vaultId)?.loadedAt === undefined) ||
    live.some(({ content }) => content === undefined);
  const ready = live.filter(isExported);
  const [read, setRead] = useState(0);
  const saving = useMutation({
    async mutationFn() {
      setRead(0);
      // Recorded first of all: without that, there is no file.
      await callAccount("exports", { vaultIds: chosen.map((vault) => vault.vaultId), format });
      const items = await readContents(live, chosen, session, members, setRead);
      const text = await makeFile(format, items, passphrase.first);
      saveText(nameOfFile(format, new Date()), text, "application/json");
      // Not the items: nothing that is decrypted is kept longer than it is needed.
      return { length: items.length };
    },
    onSuccess: () => setPassphrase({ first: "", again: "" }),
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (saving.isPending) return;
    const found = format === "encrypted-file" ? await passphraseProblem(passphrase) : undefined;
    setProblem(found);
    if (found === undefined) saving.mutate();
  };
  const choose = (wanted: ExportFormat) => {
    setFormat(wanted);
    setProblem(undefined);
    saving.reset();
  };
  return (
    <>
      <p>
        {selected === undefined ? "Save your items as a file." : "Save what you selected as a file."} It is made in this
        browser. What was deleted is not in it. That you exported, and which vaults, is listed under Activity.
      </p>
      <form className="export" onSubmit={submit} noValidate>
        {selected === undefined && (
          <>
            <label htmlFor="export-vault">Vault</label>
            <select
              id="export-vault"
              value={vaultId}
              onChange={({ target }) => {
                setVaultId(target.value);
                saving.reset();
              }}
            >
              <option value="">All vaults</option>
              {openable.map((vault) => (
                <option key={vault.vaultId} value={vault.vaultId}>
                  {vault.name}
                </option>
              ))}
            </select>
          </>
        )}
        <fieldset>
          <legend>File</legend>
          <Format
            label="Encrypted, for this vault"
            hint="Contains everything, files too. Nobody can read it without its passphrase."
            chosen={format === "encrypted-file"}
            onChoice={() => choose("encrypted-file")}
          />
          <Format
            label="Bitwarden JSON, for other password managers"
            hint="Not encrypted. Bitwarden, 1Password and Proton Pass import it."
            chosen={format === "bitwarden-json"}
            onChoice={() => choose("bitwarden-json")}
          />
        </fieldset>
        {format === "encrypted-file" ? (
          <NewPassphrase passphrase={passphrase} problem={problem} onChange={setPassphrase} />
        ) : (
          <p className="notice">
            Whoever gets this file, or a backup of the folder that it is in, can read all your passwords. Import it at
            once, and then delete it, also from the trash.
          </p>
        )}
        {!isLoading && <Remarks rows={live} format={format} />}
        {!isTooOld(saving.error) && <ErrorMessage error={saving.error} />}
        <p role="status" className="hint">
          {saving.data !== undefined
            ? `The file was saved. It contains ${countOf(saving.data)}.`
            : isLoading
              ? "Decrypting the items…"
              : saving.isPending
                ? `${read} of ${countOf(ready)} read.`
                : `${countOf(ready)} will be exported.`}
        </p>
        <div className="actions">
          <button
            type="submit"
            className="primary"
            disabled={isLoading || ready.length === 0}
            aria-busy={saving.isPending}
          >
            {saving.isPending ? "Exporting…" : "Export"}
          </button>
        </div>
      </form>
      {isTooOld(saving.error) && (
        <Sheet title="Confirm that it is you" onClose={saving.reset}>
          <p>You signed in more than 5 minutes ago. Confirm that it is you. The file is then saved.</p>
          <IdentityProof onProven={() => saving.mutate()} onCancel={saving.reset} />
        </Sheet>
      )}
    </>
  );
}

interface FormatProps {
  readonly label: string;
  readonly hint: string;
  readonly chosen: boolean;
  readonly onChoice: () => void;
}

function Format({ label, hint, chosen, onChoice }: FormatProps) {
  return (
    <label className="choice">
      <input type="radio" name="export-format" checked={chosen} onChange={onChoice} />
      <span>
        {label}
        <span className="hint">{hint}</span>
      </span>
    </label>
  );
}
