import { measure } from "./measure.js";
import type { MeasuredPassword, PasswordToMeasure } from "./strength-messages.js";

// A thread of its own: an estimate takes longer than a frame, and the dictionaries longer than that.
addEventListener("message", ({ data: { id, password } }: MessageEvent<PasswordToMeasure>) => {
  const measured: MeasuredPassword = { id, strength: measure(password) };
  postMessage(measured);
});
