import { strengthOf } from "../strength/strength.js";
import { StrengthHint } from "../strength/strength-hint.js";

interface TypedPassphrase {
  readonly first: string;
  readonly again: string;
}

const leastLength = 12;

/** The least score: who has the file can guess for as long as they like. */
const leastScore = 4;

/** Returns why a passphrase does not protect a file, as a sentence for people. */
export async function passphraseProblem({ first, again }: TypedPassphrase): Promise<string | undefined> {
  if ([...first].length < leastLength) return `The passphrase needs at least ${leastLength} characters.`;
  const { score, reason } = await strengthOf(first);
  if (score < leastScore) return `The passphrase is too easy to guess. ${reason || "Use more words."}`;
  return first === again ? undefined : "The two passphrases differ. Type the same one twice.";
}

interface NewPassphraseProps {
  readonly passphrase: TypedPassphrase;
  readonly problem: string | undefined;
  readonly onChange: (passphrase: TypedPassphrase) => void;
}

export function NewPassphrase({ passphrase, problem, onChange }: NewPassphraseProps) {
  const input = (id: keyof TypedPassphrase, describedBy: string) => (
    <input
      id={`passphrase-${id}`}
      type="password"
      autoComplete="new-password"
      aria-describedby={describedBy}
      aria-invalid={problem === undefined ? undefined : true}
      value={passphrase[id]}
      onChange={({ target }) => onChange({ ...passphrase, [id]: target.value })}
    />
  );
  return (
    <>
      <label htmlFor="passphrase-first">Passphrase</label>
      <p className="hint" id="passphrase-hint">
        At least {leastLength} characters, such as five random words. Store it outside of this vault: without it, nobody
        can open the file.
      </p>
      {input("first", "passphrase-hint passphrase-error")}
      <StrengthHint password={passphrase.first} />
      <label htmlFor="passphrase-again">The same passphrase again</label>
      {input("again", "passphrase-error")}
      <p className="error field-error" id="passphrase-error" role="alert">
        {problem}
      </p>
    </>
  );
}
