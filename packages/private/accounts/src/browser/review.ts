import { keepReview, keptReview } from "./kept-review.js";

/** Keeps what the person chooses on a review page, and shows it again after a sign-in. The page works without this. */
const form = document.querySelector<HTMLFormElement>("form.review");

/** The fields that say which review it is, and who sees it. */
const ofReview = ["request", "user_code", "person"];

function fieldsOf(review: HTMLFormElement): URLSearchParams {
  const fields = new URLSearchParams({ request: new URL(review.action).searchParams.toString() });
  for (const [name, value] of new FormData(review)) if (typeof value === "string") fields.append(name, value);
  return fields;
}

function showAgain(kept: URLSearchParams, review: HTMLFormElement): void {
  for (const field of review.elements) {
    if (field instanceof HTMLInputElement && field.type === "checkbox") {
      field.checked = kept.getAll(field.name).includes(field.value);
      unfold(field, field.checked !== field.defaultChecked);
    } else if (field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type !== "hidden")) {
      field.value = kept.get(field.name) ?? "";
      unfold(field, field.value !== field.defaultValue);
    }
  }
}

/** Shows a field that is not as the page proposes it. */
function unfold(field: HTMLElement, isChanged: boolean): void {
  if (isChanged) field.closest("details")?.setAttribute("open", "");
}

if (form !== null) {
  // The address of a page that answers a form does not open it again. This one does: after a reload, or when the session has ended.
  const { path } = form.dataset;
  history.replaceState(null, "", path);
  const [kept, shown] = [keptReview(), fieldsOf(form)];
  if (ofReview.every((name) => kept.get(name) === shown.get(name))) showAgain(kept, form);
  // A click is also the Enter key in a field, and leads to the sign-in that unlocks the names of the vaults.
  for (const event of ["click", "input"]) form.addEventListener(event, () => keepReview(fieldsOf(form)));
}
