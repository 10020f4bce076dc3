import type { describedUnlock } from "@platform-rpc/accounts/unlocks/unlocks-api";
import type { UnlockRequest } from "@platform-rpc/items/unlock/unlock-code";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useParams } from "wouter";
import { ErrorMessage } from "../elements/error-message.js";
import { Link } from "../elements/link.js";
import { agoInWords, momentInWords } from "../elements/moment.js";
import { TextField } from "../elements/text-field.js";
import { useTitle } from "../elements/use-title.js";
import { callAccount } from "../session/call-account.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import type { OwnVault } from "../vaults/own-vault.js";

/** The request of a program, as the server has it. It is not trusted: the person compares the code. */
type AskedUnlock = ReturnType<typeof describedUnlock>;

const title = "Unlock your vaults for Platform CLI?";

export function UnlockPage() {
  useTitle(title);
  const { id: unlockId = "" } = useParams();
  const { session } = useConsole();
  const { vaults } = useLibrary();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const asked = useQuery({
    queryKey: ["unlock", unlockId],
    queryFn: () => callAccount<AskedUnlock>(`unlocks/${encodeURIComponent(unlockId)}`),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const handing = useMutation({
    async mutationFn(request: UnlockRequest) {
      if (vaults === undefined) throw new Error("Your vaults are not loaded yet. Try again.");
      const { handOverKeys } = await loadKeys();
      const handed = vaultsWithKey(vaults);
      return { count: handed.length, code: await handOverKeys(request, session, handed) };
    },
  });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (asked.data === undefined) return;
    const { encryptionKey, signingKey } = asked.data;
    const { tenantId, principalId: accountId } = session;
    const request = { tenantId, accountId, unlockId, encryptionKey, signingKey };
    const found = await (await loadKeys()).problemOf(typed, request);
    setProblem(found);
    if (found === undefined) handing.mutate(request);
  };

  if (handing.data !== undefined) {
    const { count, code } = handing.data;
    return (
      <>
        <h1>Platform CLI has the keys</h1>
        <p role="status">
          It can read and write the items of {count === 1 ? "1 vault" : `${count} vaults`} for as long as you have asked
          for. Return to your terminal.
        </p>
        <p>Type this code in the terminal if it asks. It then knows that the keys come from you:</p>
        <p className="value">
          <code translate="no">{code}</code>
        </p>
      </>
    );
  }
  return (
    <>
      <h1>{title}</h1>
      <ErrorMessage error={asked.error} />
      {asked.isPending && <p role="status">Loading…</p>}
      {asked.data !== undefined && (
        <form onSubmit={(event) => void submit(event)}>
          <p>
            <Origin asked={asked.data} /> Continue only if you have just run <code>platform unlock</code> or{" "}
            <code>platform broker</code> there.
          </p>
          <p>
            It can then read and write the items of these vaults:{" "}
            {vaultsWithKey(vaults ?? [])
              .map(({ name }) => name)
              .join(", ")}
            . It gets their keys, and never your own.
          </p>
          <p>
            Meanwhile, an assistant that uses <code>platform-mcp</code> on that computer sees titles, tags and websites
            of items, and no secrets.
          </p>
          <p>
            While <code>platform broker</code> runs there, agents that you approve can use the secrets, and do not see
            them.
          </p>
          <TextField
            id="unlock-code"
            label="Code in your terminal"
            hint="16 letters and digits. You can leave out the dashes."
            error={problem}
            code
            maxLength={64}
            value={typed}
            onChange={setTyped}
          />
          <ErrorMessage error={handing.error} />
          <div className="actions">
            <Link className="button quiet" to="/">
              Not now
            </Link>
            <Button className="primary" type="submit" isDisabled={handing.isPending || vaults === undefined}>
              Unlock for Platform CLI
            </Button>
          </div>
        </form>
      )}
    </>
  );
}

function Origin({ asked: { startedAt, device, address, sameNetwork } }: { readonly asked: AskedUnlock }) {
  const ago = agoInWords(new Date(startedAt), Date.now());
  return (
    <>
      A terminal in which you are signed in asked for this{" "}
      <time dateTime={startedAt} title={momentInWords(startedAt)}>
        {ago === "now" ? "just now" : ago}
      </time>
      {device !== undefined && (
        <>
          {" "}
          by a device that calls itself “<strong>{device}</strong>”,
        </>
      )}
      {address === undefined && "."}
      {address !== undefined && sameNetwork && " on the network of this browser."}
      {address !== undefined && !sameNetwork && (
        <>
          {" "}
          <strong>on another network</strong>: {address}.
        </>
      )}
    </>
  );
}

function vaultsWithKey(vaults: readonly OwnVault[]): readonly OwnVault[] {
  return vaults.filter(({ key }) => key !== undefined && key.wrappedKey !== "");
}

/** The cryptography is loaded with its own scripts, which the first load of the vault does not name. */
const loadKeys = () => import("./hand-over-keys.js");
