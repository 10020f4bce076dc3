import { expect, it } from "vitest";
import { watchPerson } from "./person-active.js";

const minute = 60_000;

function openPage() {
  let time = 0;
  const page = new EventTarget();
  const isActive = watchPerson(page, () => time);
  return {
    page,
    isActive,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

it("a person who opens the page and leaves is active for 5 minutes", () => {
  const { isActive, pass } = openPage();
  pass(5 * minute - 1);
  expect(isActive()).toBe(true);
  pass(1);
  expect(isActive()).toBe(false);
});

it.each(["pointerdown", "pointermove", "keydown", "wheel"])("a person is active for 5 minutes after %s", (use) => {
  const { page, isActive, pass } = openPage();
  pass(30 * minute);
  page.dispatchEvent(new Event(use));
  expect(isActive()).toBe(true);
  pass(5 * minute);
  expect(isActive()).toBe(false);
});
