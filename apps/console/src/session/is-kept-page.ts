/** Whether the page is the one that the worker has kept: the server has not answered when it was opened. */
export function isKeptPage(): boolean {
  return document.documentElement.hasAttribute("data-kept");
}
