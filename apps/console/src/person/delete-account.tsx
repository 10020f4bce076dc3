import { forgetPasskeys } from "@platform-rpc/accounts/browser/passkeys";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { SettingsCard } from "../elements/settings-card.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld } from "../elements/sign-in-again.js";
import { TextField } from "../elements/text-field.js";
import { IdentityProof } from "../security/prove-dialog.js";
import { requestAccount, signInOrReject } from "../session/call-account.js";
import { useConsole } from "../session/console-context.js";

export function DeleteAccount() {
  const [asking, setAsking] = useState(false);
  return (
    <SettingsCard id="delete" icon="trash" title="Delete your account">
      <p>Your account, the vaults that only you can read, and everything in them are deleted for ever.</p>
      <button type="button" data-change className="danger" onClick={() => setAsking(true)}>
        Delete your account
      </button>
      {asking && <DeletionDialog onClose={() => setAsking(false)} />}
    </SettingsCard>
  );
}

function DeletionDialog({ onClose }: { readonly onClose: () => void }) {
  const { principalId } = useConsole().session;
  const deleting = useMutation({ mutationFn: () => deleteAccount(principalId) });
  // When the account is deleted, the script of the accounts origin leaves the page.
  const busy = deleting.isPending || deleting.isSuccess;
  return (
    <Sheet title="Delete your account?" onClose={busy ? () => {} : onClose}>
      {isTooOld(deleting.error) ? (
        <>
          <p>You signed in more than 5 minutes ago. Confirm that it is you. Your account is then deleted.</p>
          <IdentityProof onProven={() => deleting.mutate()} onCancel={onClose} />
        </>
      ) : (
        <Question busy={busy} error={deleting.error} onConfirm={() => deleting.mutate()} onCancel={onClose} />
      )}
    </Sheet>
  );
}

interface QuestionProps {
  readonly busy: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

function Question({ busy, error, onConfirm, onCancel }: QuestionProps) {
  const { displayName } = useConsole().session;
  const [typed, setTyped] = useState("");
  // A keyboard may compose letters in another way.
  const confirmed = typed.trim().normalize() === displayName.normalize();
  return (
    <>
      <p>This cannot be undone. You lose:</p>
      <ul>
        <li>
          all items of your personal vault, and of the vaults that you have created. Nobody can restore or read them
        </li>
        <li>your passkeys and your recovery code: they no longer sign you in</li>
        <li>the access of all agents and apps that act for you</li>
        <li>your access to the vaults that an administrator has shared with you. Their other members keep them</li>
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (confirmed && !busy) onConfirm();
        }}
      >
        <TextField
          id="confirm-deletion"
          label="Type your name to confirm"
          hint={`Your name: ${displayName}`}
          maxLength={64}
          value={typed}
          onChange={setTyped}
        />
        <ErrorMessage error={error} />
        <p role="status">{busy ? "Deleting your account…" : ""}</p>
        <div className="actions">
          <Button className="quiet" isDisabled={busy} onPress={onCancel}>
            Cancel
          </Button>
          <Button className="primary danger" type="submit" isDisabled={busy || !confirmed}>
            Delete for ever
          </Button>
        </div>
      </form>
    </>
  );
}

/**
 * Deletes the account of the person. If a request fails, the next deletion continues.
 *
 * The script of the accounts origin leaves the page when the account is deleted. It gets the promise, because other calls of the page may
 * notice first that the session has ended.
 *
 * @throws AccountError (as a rejection)
 */
function deleteAccount(accountId: string): Promise<void> {
  const deletion = requestDeletion(accountId);
  dispatchEvent(new CustomEvent("platform-account-deletion", { detail: deletion }));
  return deletion.catch(signInOrReject);
}

async function requestDeletion(accountId: string): Promise<void> {
  // Each request deletes some of the items.
  for (let deleted = false; !deleted; ) {
    ({ deleted } = await requestAccount<{ readonly deleted: boolean }>("person/delete", { accountId }));
  }
  await forgetPasskeys(accountId);
}
