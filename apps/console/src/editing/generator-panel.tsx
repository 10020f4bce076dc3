import { generatePassword, passwordLengths } from "@platform-rpc/items/generate-password";
import { useState } from "react";

const usual = { length: Number(passwordLengths.usual), digits: true, symbols: true };

/** Generates a password, until the person likes one. */
export function GeneratorPanel({ onUse }: { readonly onUse: (password: string) => void }) {
  const [options, setOptions] = useState(usual);
  const [password, setPassword] = useState(() => generatePassword(usual));
  const change = (changes: Partial<typeof usual>) => {
    const next = { ...options, ...changes };
    setOptions(next);
    setPassword(generatePassword(next));
  };
  return (
    <fieldset className="card generator">
      <legend className="unseen">Password generator</legend>
      <output className="value">{password}</output>
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
      <label className="choice">
        <input type="checkbox" checked={options.digits} onChange={({ target }) => change({ digits: target.checked })} />
        Digits
      </label>
      <label className="choice">
        <input
          type="checkbox"
          checked={options.symbols}
          onChange={({ target }) => change({ symbols: target.checked })}
        />
        Symbols
      </label>
      <div className="actions">
        <button type="button" className="quiet" onClick={() => change({})}>
          Another one
        </button>
        <button type="button" onClick={() => onUse(password)}>
          Use this password
        </button>
      </div>
    </fieldset>
  );
}
