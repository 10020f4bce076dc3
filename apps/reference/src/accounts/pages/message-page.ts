import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { html } from "hono/html";
import { type PageStatus, pageResponse } from "./layout.js";

/** Returns a page with one message, or the message as plain text to a caller that is not a browser. */
export function messagePage(context: Context, status: PageStatus, title: string, message: string) {
  const supports = ["text/plain", "text/html"];
  const wanted = accepts(context, { header: "Accept", supports, default: "text/plain" });
  if (wanted !== "text/html") return context.text(`${title}. ${message}\n`, status);
  return pageResponse(context, { title, body: html`<p>${message}</p>` }, status);
}
