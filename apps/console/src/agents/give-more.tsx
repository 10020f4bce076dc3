import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { Moment } from "../elements/moment.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld, SignInAgain } from "../elements/sign-in-again.js";
import { AccountError } from "../session/account-error.js";
import { useLibrary } from "../vaults/library.js";
import { nameIn } from "../vaults/vault-names.js";
import type { Agent, useAgents } from "./agents.js";
import { AllowanceSentence } from "./allowance-sentence.js";
import { boundsAfter, emptyGift, type Gift, type GiftErrors, localTime } from "./gift.js";

interface GiveMoreProps {
  /** The login as the person saw it. */
  readonly opened: Agent;
  /** The login as it is now. Undefined: it has ended. */
  readonly current: Agent | undefined;
  readonly changing: ReturnType<typeof useAgents>["changing"];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Lets a person allow software more: more deletions, other vaults, a later end. A limit that does not exist is not asked for. */
export function GiveMore({ opened, current = opened, changing, onDone, onClose }: GiveMoreProps) {
  const conflict = changing.error instanceof AccountError && changing.error.reason === "APPROVAL_CHANGED";
  // After a conflict, the person has seen what applies now.
  const { id, name, bounds = {}, latestEndsAt } = conflict ? current : opened;
  // What the person has not changed here stays as it is now, also if it was changed in another tab.
  const [changes, setChanges] = useState<Partial<Gift>>({});
  const gift = { ...emptyGift(bounds), ...changes };
  const [errors, setErrors] = useState<GiftErrors>({});

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const checked = boundsAfter(gift, { bounds, latestEndsAt }, Date.now());
    setErrors("errors" in checked ? checked.errors : {});
    if ("bounds" in checked) changing.mutate({ id, bounds: checked.bounds, expected: bounds }, { onSuccess: onDone });
  };
  return (
    <Sheet title={`Give more to ${name}`} onClose={onClose}>
      <p>
        {conflict ? "Now: " : "So far: "}
        <AllowanceSentence agent={conflict ? current : opened} now={Date.now()} />
      </p>
      <form className="gift" noValidate onSubmit={submit}>
        {bounds.maxDeletions !== undefined && (
          <Field id="gift-deletions" label="More deletions" error={errors.deletions}>
            <input
              type="number"
              min="0"
              step="1"
              inputMode="numeric"
              value={gift.deletions}
              onChange={({ target }) => setChanges({ ...changes, deletions: target.value })}
              {...described("gift-deletions", errors.deletions)}
            />
          </Field>
        )}
        {bounds.vaults !== undefined && (
          <Vaults
            allowed={bounds.vaults}
            chosen={gift.vaults}
            onChoose={(vaults) => setChanges({ ...changes, vaults })}
            error={errors.vaults}
          />
        )}
        {bounds.expiresAt === undefined ? (
          <p className="hint">
            Until <Moment at={latestEndsAt} />. Then it must ask you again.
          </p>
        ) : (
          <Field id="gift-end" label="Until" error={errors.end}>
            <input
              type="datetime-local"
              max={localTime(latestEndsAt)}
              value={gift.end}
              onChange={({ target }) => setChanges({ ...changes, end: target.value })}
              {...described("gift-end", errors.end)}
            />
          </Field>
        )}
        <p className="error" role="alert">
          {errors.form}
        </p>
        {isTooOld(changing.error) ? <SignInAgain focusId={`give-${id}`} /> : <ErrorMessage error={changing.error} />}
        <div className="actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" isDisabled={changing.isPending}>
            Give more
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly error: string | undefined;
  /** A control with the properties of {@link described}. */
  readonly children: ReactNode;
}

function Field({ id, label, error, children }: FieldProps) {
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      {children}
      <p className="error field-error" id={`${id}-error`} role="alert">
        {error}
      </p>
    </div>
  );
}

/** Returns the properties that connect a control with its label and its error. */
function described(id: string, error: string | undefined) {
  return { id, "aria-describedby": `${id}-error`, "aria-invalid": error === undefined ? undefined : true };
}

interface VaultsProps {
  /** The vaults that are allowed so far. The person may no longer be a member of all of them. */
  readonly allowed: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (vaults: readonly string[]) => void;
  readonly error: string | undefined;
}

function Vaults({ allowed, chosen, onChoose, error }: VaultsProps) {
  const { vaults = [], error: failure } = useLibrary();
  const present = vaults.filter(({ deleted }) => !deleted);
  const listed = [...new Set([...allowed, ...present.map(({ vaultId }) => vaultId)])];
  return (
    <fieldset aria-describedby="gift-vaults-error">
      <legend>Vaults, at most 20</legend>
      <ul className="plain">
        {listed.map((vaultId) => (
          <li key={vaultId}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(vaultId)}
                onChange={({ target }) =>
                  onChoose(target.checked ? [...chosen, vaultId] : chosen.filter((one) => one !== vaultId))
                }
              />
              <span dir="auto">{nameIn(vaults, vaultId)}</span>
            </label>
          </li>
        ))}
      </ul>
      <ErrorMessage error={failure} />
      <p className="error field-error" id="gift-vaults-error" role="alert">
        {error}
      </p>
    </fieldset>
  );
}
