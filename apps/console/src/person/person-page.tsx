import { saveText } from "@platform-rpc/accounts/browser/output/save-text";
import { nameProblem } from "@platform-rpc/accounts/people/personal-name";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { Link } from "../elements/link.js";
import { SettingsCard } from "../elements/settings-card.js";
import { isTooOld, SignInAgain } from "../elements/sign-in-again.js";
import { TextField } from "../elements/text-field.js";
import { useTitle } from "../elements/use-title.js";
import { callAccount } from "../session/call-account.js";
import { useConsole } from "../session/console-context.js";
import { DeleteAccount } from "./delete-account.js";

export function PersonPage() {
  useTitle("Account");
  return (
    <div className="settings">
      <h1>Account</h1>
      <Name />
      <Copy />
      <DeleteAccount />
    </div>
  );
}

function Name() {
  const { session } = useConsole();
  const [name, setName] = useState(session.displayName);
  const [problem, setProblem] = useState<string>();
  const renaming = useMutation({
    mutationFn: (displayName: string) => callAccount<{ readonly displayName: string }>("name", { displayName }),
    // Every part of the page shows the name.
    onSuccess: () => location.reload(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = nameProblem(name);
    setProblem(found);
    if (found === undefined) renaming.mutate(name);
  };
  return (
    <SettingsCard id="name" icon="person" title="Name">
      <form onSubmit={submit}>
        <TextField
          id="display-name"
          label="Your name"
          hint="As other people see it."
          error={problem}
          maxLength={64}
          autoComplete="name"
          value={name}
          onChange={setName}
        />
        <ErrorMessage error={renaming.error} />
        <div className="actions">
          <button type="submit" data-change disabled={renaming.isPending || name === session.displayName}>
            Save
          </button>
        </div>
      </form>
    </SettingsCard>
  );
}

function Copy() {
  const exporting = useMutation({
    mutationFn: () => callAccount<object>("export"),
    onSuccess: (copy) => saveText("platform-account.json", JSON.stringify(copy, undefined, 2), "application/json"),
  });
  return (
    <SettingsCard id="copy" icon="import" title="Your data">
      <p>
        What the platform knows of you, as a JSON file. Only your browser can decrypt your items:{" "}
        <Link to="/export">export them</Link> as another file.
      </p>
      {isTooOld(exporting.error) ? <SignInAgain focusId="export" /> : <ErrorMessage error={exporting.error} />}
      <button type="button" id="export" disabled={exporting.isPending} onClick={() => exporting.mutate()}>
        Download a copy
      </button>
    </SettingsCard>
  );
}
