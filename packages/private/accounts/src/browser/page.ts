import { nameProblem } from "../people/personal-name.js";

/** Returns an element of the page. @throws TypeError when the page has no element with this id and class. */
export function element<Kind extends HTMLElement>(id: string, kind: abstract new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`The page has no element with the id ${id} of the expected kind.`);
  return found;
}

/** Gives the page another title, and puts the focus at its start: it shows something else now. */
export function setTitle(title: string): void {
  const heading = document.querySelector("h1");
  document.title = document.title.replace(heading?.textContent ?? "", title);
  if (heading !== null) heading.textContent = title;
  element("main", HTMLElement).focus();
}

/** Enables the buttons that wait for the script. Call it once the script handles them. */
export function enableButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-until-script]"))
    button.disabled = false;
}

/** Where an action reports: the ids of elements with the roles status and alert. */
export interface Reports {
  readonly status?: string;
  readonly error?: string;
}

/** Runs an action of the person, one at a time. Says what it does, and what went wrong. */
export async function run(doing: string, action: () => Promise<void>, reports: Reports = {}): Promise<void> {
  const status = element(reports.status ?? "status", HTMLElement);
  const error = element(reports.error ?? "error", HTMLElement);
  const buttons = [...document.querySelectorAll("button")].filter(({ disabled }) => !disabled);
  status.textContent = doing;
  error.textContent = "";
  for (const button of buttons) button.disabled = true;
  try {
    await action();
    status.textContent = "";
  } catch (thrown) {
    status.textContent = "";
    error.textContent = thrown instanceof Error ? thrown.message : "The page failed. Reload it, and try again.";
    error.scrollIntoView({ block: "nearest" });
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** Calls a function when a form is submitted, instead of sending it. */
export function onSubmit(id: string, submit: (form: HTMLFormElement, button: HTMLElement | null) => void): void {
  const form = element(id, HTMLFormElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(form, event.submitter);
  });
}

/** Says next to a field why its value is not accepted, and puts the focus there. @param problem undefined: it is accepted */
export function showFieldError(field: HTMLInputElement, problem: string | undefined): void {
  element(`${field.id}-error`, HTMLElement).textContent = problem ?? "";
  if (problem === undefined) {
    field.removeAttribute("aria-invalid");
    return;
  }
  field.setAttribute("aria-invalid", "true");
  // A folded field cannot have the focus.
  field.closest("details")?.setAttribute("open", "");
  field.focus();
}

/** Returns the name in a field; undefined if it cannot be one. Then the page says why. */
export function acceptedName(field: HTMLInputElement): string | undefined {
  const problem = nameProblem(field.value);
  showFieldError(field, problem);
  return problem === undefined ? field.value : undefined;
}
