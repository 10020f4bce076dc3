import "./importing.css";
import { useEffect, useRef, useState } from "react";
import { Link } from "../elements/link.js";
import { useTitle } from "../elements/use-title.js";
import type { ReadOptions } from "../import-formats/format.js";
import type { ReadImport } from "../import-formats/read-import.js";
import { useLibrary } from "../vaults/library.js";
import { canWrite } from "../vaults/own-vault.js";
import { readFile, stopReading } from "./import-worker.js";
import { Preview } from "./preview.js";
import { Started } from "./started.js";
import { useImport } from "./use-import.js";

/** In bytes. The whole file is in memory, several times. */
const largestFile = 100 * 1024 * 1024;

export function ImportPage() {
  useTitle("Import items");
  const { active, isLoaded, isIdle, start, cancel, undo, close } = useImport();
  const { vaults } = useLibrary();
  const writable = vaults?.filter((vault) => !vault.deleted && canWrite(vault));
  return (
    <div className="importing">
      <h1>Import items</h1>
      {active !== undefined && <Started active={active} onCancel={cancel} onUndo={undo} onClose={() => void close()} />}
      {isIdle &&
        (writable === undefined || !isLoaded ? (
          <p role="status">Loading…</p>
        ) : writable.length === 0 ? (
          <p className="notice">You cannot write in any of your vaults. Create a vault to import items.</p>
        ) : (
          <NewImport vaults={writable} onStart={start} />
        ))}
    </div>
  );
}

interface NewImportProps {
  readonly vaults: Parameters<typeof Preview>[0]["vaults"];
  readonly onStart: Parameters<typeof Preview>[0]["onStart"];
}

function NewImport({ vaults, onStart }: NewImportProps) {
  const [file, setFile] = useState<File>();
  const [reading, setReading] = useState(false);
  const [read, setRead] = useState<ReadImport>();
  const [password, setPassword] = useState("");
  const [options, setOptions] = useState<ReadOptions>({});
  const isReading = useRef(false);
  // Who leaves the page, and comes back with another file, does not wait for this one.
  useEffect(() => () => (isReading.current ? stopReading() : undefined), []);
  const readAgain = async (wanted: File, options: ReadOptions) => {
    setOptions(options);
    setReading(true);
    isReading.current = true;
    setRead(await readFile(wanted, options));
    isReading.current = false;
    setReading(false);
  };
  const choose = (chosen: File | undefined) => {
    stopReading();
    setFile(chosen);
    setRead(undefined);
    setReading(false);
    setPassword("");
    if (chosen === undefined) return;
    if (chosen.size > largestFile) {
      const message = `The file has ${Math.ceil(chosen.size / 1_000_000)} MB. A browser can read 100 MB: export your items in parts.`;
      setRead({ outcome: "failed", message, needsPassword: false });
    } else void readAgain(chosen, {});
  };
  const failed = read?.outcome === "failed" ? read : undefined;
  return (
    <>
      <p>
        Choose a file that Bitwarden (JSON, ZIP or CSV), 1Password (1PUX or CSV), Proton Pass (JSON or ZIP), KeePass
        (XML), Enpass (JSON), Chrome, Firefox or Safari exported, or a table of another program as CSV. It is read in
        this browser, and stored encrypted: nobody else sees what is in it.
      </p>
      <label htmlFor="import-file">File</label>
      <input
        id="import-file"
        type="file"
        accept=".csv,.json,.1pux,.zip,.xml,text/csv,application/json"
        onChange={({ target }) => choose(target.files?.[0])}
      />
      <p className="hint">Delete the file afterwards: whoever finds it can read your passwords.</p>
      {reading && (
        <p role="status">
          Reading the file…{" "}
          <button type="button" className="quiet" onClick={() => choose(undefined)}>
            Cancel
          </button>
        </p>
      )}
      {failed && !reading && (
        <div role="alert">
          <p className="notice failed">{failed.message}</p>
        </div>
      )}
      {file && failed?.needsPassword && (
        <form
          className="filters"
          onSubmit={(event) => {
            event.preventDefault();
            void readAgain(file, { password });
          }}
        >
          <label htmlFor="import-password">Password of the file</label>
          <input
            id="import-password"
            type="password"
            autoComplete="off"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
          <button type="submit" disabled={reading || password === ""}>
            Open the file
          </button>
        </form>
      )}
      {file && read?.outcome === "read" && (
        <Preview
          read={read}
          reading={reading}
          vaults={vaults}
          onChange={(changed: ReadOptions) => void readAgain(file, { ...options, ...changed })}
          onStart={onStart}
        />
      )}
      <p>
        <Link to="/">See all your items</Link>
      </p>
    </>
  );
}
