import { expect, it } from "vitest";
import { measure } from "./measure.js";

it.each(["", "password", "Password1!", "qwertyuiop", "aaaaaaaaaaaa", "12345678901234"])(
  "%j is weak, and it says why",
  (password) => {
    const { score, reason } = measure(password);
    expect(score).toBeLessThan(3);
    if (password !== "") expect(reason).toMatch(/\.$/);
  },
);

it.each(["correct-horse-battery-staple", "Xk2!9sLq0Zp@3vTy8Rw1", "مفتاح-سماء-ورقة-بحر"])("%j is strong", (password) => {
  expect(measure(password)).toMatchObject({ score: 4 });
});

it("only the first 64 characters are measured: the time grows with the square of the length", () => {
  expect(measure("Ab3$".repeat(25_000))).toEqual(measure("Ab3$".repeat(16)));
});
