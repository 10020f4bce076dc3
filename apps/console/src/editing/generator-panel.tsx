import { generatePassphrase, passphraseBits, passphraseLengths } from "@platform-rpc/items/generate-passphrase";
import { generatePassword, passwordBits, passwordLengths } from "@platform-rpc/items/generate-password";
import words from "@zxcvbn-ts/language-common/dist/diceware.json.mjs";
import { type ReactNode, useId, useState } from "react";

interface GeneratorProps {
  readonly onUse: (password: string) => void;
}

export function GeneratorPanel({ onUse }: GeneratorProps) {
  const name = useId();
  const [words, setWords] = useState(false);
  const choice = (label: string, value: boolean) => (
    <label className="choice">
      <input type="radio" name={name} checked={words === value} onChange={() => setWords(value)} />
      {label}
    </label>
  );
  return (
    <fieldset className="card generator">
      <legend className="unseen">Password generator</legend>
      {choice("Password", false)}
      {choice("Passphrase: words that are easy to type and to remember", true)}
      {words ? <Passphrase onUse={onUse} /> : <Password onUse={onUse} />}
    </fieldset>
  );
}

const usualPassword = { length: Number(passwordLengths.usual), digits: true, symbols: true };

function Password({ onUse }: GeneratorProps) {
  const { options, generated, change } = useGenerated(usualPassword, generatePassword);
  return (
    <Generated
      generated={generated}
      bits={passwordBits(options)}
      noun="password"
      onUse={onUse}
      onAnother={() => change({})}
    >
      <label>
        Length: {options.length}{" "}
        <input
          type="range"
          min={passwordLengths.shortest}
          max={passwordLengths.longest}
          value={options.length}
          onChange={({ target }) => change({ length: Number(target.value) })}
        />
      </label>
      <Choice label="Digits" chosen={options.digits} onChoice={(digits) => change({ digits })} />
      <Choice label="Symbols" chosen={options.symbols} onChoice={(symbols) => change({ symbols })} />
    </Generated>
  );
}

const usualPassphrase = { words: Number(passphraseLengths.usual), separator: "-", capitals: false, digit: false };
const separators = [
  ["-", "Hyphen"],
  [" ", "Space"],
  [".", "Full stop"],
  ["_", "Underscore"],
] as const;

function Passphrase({ onUse }: GeneratorProps) {
  const { options, generated, change } = useGenerated(usualPassphrase, (chosen) =>
    generatePassphrase(wordList, chosen),
  );
  return (
    <Generated
      generated={generated}
      bits={passphraseBits(wordList.length, options)}
      noun="passphrase"
      onUse={onUse}
      onAnother={() => change({})}
    >
      <label>
        Words: {options.words}{" "}
        <input
          type="range"
          min={passphraseLengths.shortest}
          max={passphraseLengths.longest}
          value={options.words}
          onChange={({ target }) => change({ words: Number(target.value) })}
        />
      </label>
      <label>
        Between the words{" "}
        <select value={options.separator} onChange={({ target }) => change({ separator: target.value })}>
          {separators.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Choice label="Capital letters" chosen={options.capitals} onChoice={(capitals) => change({ capitals })} />
      <Choice label="A digit" chosen={options.digit} onChoice={(digit) => change({ digit })} />
    </Generated>
  );
}

/** What is generated with the chosen options: something else after each change of them. */
function useGenerated<Options extends object>(usual: Options, generate: (options: Options) => string) {
  const [options, setOptions] = useState(usual);
  const [generated, setGenerated] = useState(() => generate(usual));
  const change = (changes: Partial<Options>) => {
    const next = { ...options, ...changes };
    setOptions(next);
    setGenerated(generate(next));
  };
  return { options, generated, change };
}

interface GeneratedProps extends GeneratorProps {
  readonly generated: string;
  readonly bits: number;
  readonly noun: string;
  readonly onAnother: () => void;
  readonly children: ReactNode;
}

function Generated({ generated, bits, noun, onUse, onAnother, children }: GeneratedProps) {
  return (
    <>
      <output className="value secret">{generated}</output>
      <p className="hint">{strengthOf(bits)}</p>
      {children}
      <div className="actions">
        <button type="button" className="quiet" onClick={onAnother}>
          Another one
        </button>
        <button type="button" onClick={() => onUse(generated)}>
          Use this {noun}
        </button>
      </div>
    </>
  );
}

/** Says how hard a generated password is to guess. With 75 bits, nobody can try so many. @param bits its entropy */
function strengthOf(bits: number): string {
  if (bits >= 75) return "Very strong";
  if (bits >= 60) return "Strong";
  return bits >= 45 ? "Good" : "Weak";
}

interface ChoiceProps {
  readonly label: string;
  readonly chosen: boolean;
  readonly onChoice: (chosen: boolean) => void;
}

function Choice({ label, chosen, onChoice }: ChoiceProps) {
  return (
    <label className="choice">
      <input type="checkbox" checked={chosen} onChange={({ target }) => onChoice(target.checked)} />
      {label}
    </label>
  );
}

/**
 * The large word list of the EFF, 7776 words of Joseph Bonneau, Creative Commons Attribution 3.0 US. The package, which judges passwords
 * with it, writes its four words with a hyphen without one.
 *
 * @see https://www.eff.org/dice
 */
export const wordList: readonly string[] = words;
