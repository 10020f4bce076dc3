/** Opens the sign-in page, which then comes back to this page: the person is signed in, and must prove again who they are. */
export function proveAgain(): void {
  location.assign(`/sign-in?${new URLSearchParams({ again: "", next: location.pathname + location.search })}`);
}

/** Ends the session of the browser, as the form in the menu of the person does. */
export function signOut(): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/sign-out";
  document.body.append(form);
  form.requestSubmit();
}
