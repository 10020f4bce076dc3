import type { Strength } from "./measure.js";
import { leastScore } from "./strength.js";
import { useStrength } from "./use-strength.js";

const words = ["Very weak", "Weak", "Weak", "Good", "Strong"];

/** Returns how strong a password is, and if it is weak why, as sentences. */
function strengthInWords({ score, reason }: Strength): string {
  return score < leastScore && reason !== "" ? `${words[score]}. ${reason}` : `${words[score]}.`;
}

export function StrengthHint({ password }: { readonly password: string }) {
  const strength = useStrength(password);
  return (
    <p className="hint" role="status">
      {password !== "" && strength && strengthInWords(strength)}
    </p>
  );
}
