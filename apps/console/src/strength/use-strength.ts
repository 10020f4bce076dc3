import { useEffect, useState } from "react";
import { throttle } from "../vaults/throttle.js";
import type { Strength } from "./measure.js";
import { strengthOf } from "./strength.js";

/** How long a person does not type before what they typed is measured, in milliseconds. */
const pauseMs = 250;

/** Returns the strength of a password that is typed. Undefined until it is known. */
export function useStrength(password: string): Strength | undefined {
  const [known, setKnown] = useState<{ readonly password: string; readonly strength: Strength }>();
  useEffect(() => {
    if (password === "") return;
    let wanted = true;
    const timer = setTimeout(() => {
      const show = (strength: Strength) => wanted && setKnown({ password, strength });
      // Without a measure, there is no hint.
      void strengthOf(password).then(show, () => undefined);
    }, pauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [password]);
  return known?.password === password ? known.strength : undefined;
}

/** How many passwords are measured together: one that is typed meanwhile need not wait for all. */
const atOnce = 10;
/** How often what is known so far is shown, in milliseconds. */
const showEveryMs = 250;

/** Returns the strengths of stored passwords, as they become known. */
export function useStrengths(passwords: readonly string[]): ReadonlyMap<string, Strength> {
  const [strengths, setStrengths] = useState<ReadonlyMap<string, Strength>>(new Map());
  useEffect(() => {
    let wanted = true;
    const measureAll = async () => {
      const all = new Map<string, Strength>();
      const show = throttle(() => wanted && setStrengths(new Map(all)), showEveryMs);
      for (let at = 0; wanted && at < passwords.length; at += atOnce) {
        const some = passwords.slice(at, at + atOnce);
        const measured = await Promise.all(some.map(strengthOf));
        some.forEach((password, index) => {
          const strength = measured[index];
          if (strength !== undefined) all.set(password, strength);
        });
        show();
      }
    };
    void measureAll().catch(() => undefined);
    return () => {
      wanted = false;
    };
  }, [passwords]);
  return strengths;
}
