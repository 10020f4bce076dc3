const name = "platform-accounts: session";

/** What the pages of this browser tell each other: that the session may have ended, or that the browser is locked. */
type Message = "check" | "lock";

/** Tells the other pages of this browser. */
export function report(message: Message): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage(message);
  channel.close();
}

/** Calls a function when another page of this browser reports something. */
export function onReport(listeners: Readonly<Record<Message, () => void>>): void {
  new BroadcastChannel(name).onmessage = ({ data }: MessageEvent<Message>) => listeners[data]();
}

/**
 * A sign-in ends the session that the browser had. Until the response sets the new cookie, a request with the old one would be told that the
 * person is signed out, and the page would be locked. Requests of all pages of the browser therefore wait for the sign-in.
 */
const signInLock = "platform-accounts: sign-in";

export function replaceSession<Result>(signIn: () => Promise<Result>) {
  return navigator.locks.request(signInLock, signIn);
}

export function withSession<Result>(request: () => Promise<Result>) {
  return navigator.locks.request(signInLock, { mode: "shared" }, request);
}
