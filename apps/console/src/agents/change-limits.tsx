import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { momentInWords } from "../elements/moment.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld, SignInAgain } from "../elements/sign-in-again.js";
import { AccountError } from "../session/account-error.js";
import { useLibrary } from "../vaults/library.js";
import { useVaultNames } from "../vaults/vault-names.js";
import type { Agent, useAgents } from "./agents.js";
import { AllowanceSentence } from "./allowance-sentence.js";
import { boundsWith, type LimitErrors, type Limits, limitsOf, localTime } from "./limits.js";

interface ChangeLimitsProps {
  /** The login as the person saw it. */
  readonly opened: Agent;
  /** The login as it is now. Undefined: it has ended. */
  readonly current: Agent | undefined;
  readonly changing: ReturnType<typeof useAgents>["changing"];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ChangeLimits({ opened, current = opened, changing, onDone, onClose }: ChangeLimitsProps) {
  const conflict = changing.error instanceof AccountError && changing.error.reason === "APPROVAL_CHANGED";
  // After a conflict, the person has seen what applies now.
  const agent = conflict ? current : opened;
  const { id, name, bounds = {}, scopes, latestEndsAt } = agent;
  // What the person has not changed here stays as it is now, also if it was changed in another tab.
  const [changes, setChanges] = useState<Partial<Limits>>({});
  const limits = { ...limitsOf(agent), ...changes };
  const [errors, setErrors] = useState<LimitErrors>({});
  const allows = (action: "delete" | "use") =>
    (bounds.actions?.includes(action) ?? true) && scopes.some(({ scope }) => scope === `vault.items:${action}`);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const checked = boundsWith(limits, agent, Date.now());
    setErrors("errors" in checked ? checked.errors : {});
    if ("bounds" in checked) changing.mutate({ id, bounds: checked.bounds, expected: bounds }, { onSuccess: onDone });
  };
  const count = (of: "deletions" | "uses", label: string) => (
    <Field id={`limit-${of}`} label={label} hint="Empty: without a limit." error={errors[of]}>
      <input
        type="number"
        min="0"
        step="1"
        inputMode="numeric"
        value={limits[of]}
        onChange={({ target }) => setChanges({ ...changes, [of]: target.value })}
        {...described(`limit-${of}`, errors[of])}
      />
    </Field>
  );
  return (
    <Sheet title={`Limits of ${name}`} onClose={onClose}>
      <p>
        {conflict ? "Now: " : "So far: "}
        <AllowanceSentence agent={agent} now={Date.now()} />
      </p>
      <form className="limits" noValidate onSubmit={submit}>
        {allows("delete") && count("deletions", "Items it may still delete")}
        {allows("use") && (
          <>
            {count("uses", "Times it may still use items")}
            <Field
              id="limit-hosts"
              label="Websites"
              hint="Such as api.github.com, one in each line. Empty: every website of the items."
              error={errors.hosts}
            >
              <textarea
                rows={3}
                spellCheck={false}
                autoCapitalize="none"
                value={limits.hosts}
                onChange={({ target }) => setChanges({ ...changes, hosts: target.value })}
                {...described("limit-hosts", errors.hosts)}
              />
            </Field>
            <label className="choice">
              <input
                type="checkbox"
                checked={limits.asksEachTime}
                onChange={({ target }) => setChanges({ ...changes, asksEachTime: target.checked })}
              />
              Ask me each time it uses an item
            </label>
          </>
        )}
        <Vaults
          known={bounds.vaults ?? []}
          chosen={limits.vaults}
          onChoose={(vaults) => setChanges({ ...changes, vaults })}
          error={errors.vaults}
        />
        <Field
          id="limit-end"
          label="Until"
          hint={`Empty: until ${momentInWords(latestEndsAt)}. Then it must ask you again.`}
          error={errors.end}
        >
          <input
            type="datetime-local"
            max={localTime(latestEndsAt)}
            value={limits.end}
            onChange={({ target }) => setChanges({ ...changes, end: target.value })}
            {...described("limit-end", errors.end)}
          />
        </Field>
        <p className="error" role="alert">
          {errors.form}
        </p>
        {isTooOld(changing.error) ? <SignInAgain focusId={`limits-${id}`} /> : <ErrorMessage error={changing.error} />}
        <div className="actions">
          <Button className="quiet" onPress={onClose}>
            Cancel
          </Button>
          <Button className="primary" type="submit" isDisabled={changing.isPending}>
            Save limits
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  /** A control with the properties of {@link described}. */
  readonly children: ReactNode;
}

function Field({ id, label, hint, error, children }: FieldProps) {
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
      {children}
      <p className="error field-error" id={`${id}-error`} role="alert">
        {error}
      </p>
    </div>
  );
}

/** Returns the properties that connect a control with its label and its error. */
function described(id: string, error: string | undefined) {
  return { id, "aria-describedby": `${id}-hint ${id}-error`, "aria-invalid": error === undefined ? undefined : true };
}

interface VaultsProps {
  /** The vaults that are allowed so far. The person may no longer be a member of all of them. */
  readonly known: readonly string[];
  /** Undefined: all of them. */
  readonly chosen: readonly string[] | undefined;
  readonly onChoose: (vaults: readonly string[] | undefined) => void;
  readonly error: string | undefined;
}

function Vaults({ known, chosen, onChoose, error }: VaultsProps) {
  const { vaults, error: failure } = useLibrary();
  const nameOf = useVaultNames();
  const present = (vaults ?? []).filter(({ deleted }) => !deleted);
  const listed = [...new Set([...known, ...present.map(({ vaultId }) => vaultId)])];
  return (
    <fieldset aria-describedby="limit-vaults-error">
      <legend>Vaults</legend>
      <label>
        <input
          type="checkbox"
          checked={chosen === undefined}
          onChange={({ target }) => onChoose(target.checked ? undefined : known)}
        />
        All your vaults, also later ones
      </label>
      {chosen && (
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
                <span dir="auto">{nameOf(vaultId)}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <ErrorMessage error={failure} />
      <p className="error field-error" id="limit-vaults-error" role="alert">
        {error}
      </p>
    </fieldset>
  );
}
