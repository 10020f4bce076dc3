import { leastScore } from "./strength.js";
import { useStrength } from "./use-strength.js";

const words = ["Very weak", "Weak", "Weak", "Good", "Strong"];

export function StrengthHint({ password }: { readonly password: string }) {
  const strength = useStrength(password);
  const said = password === "" || strength === undefined ? "" : `${words[strength.score]}.`;
  const reason = strength !== undefined && strength.score < leastScore && password !== "" ? strength.reason : "";
  return (
    <p className="hint" role="status">
      {[said, reason].filter((text) => text !== "").join(" ")}
    </p>
  );
}
