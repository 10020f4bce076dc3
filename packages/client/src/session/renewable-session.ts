import type { DeviceAuthorizationStatus } from "../device/device-session.js";
import type { AccessToken, SecretToken, TokenRequest } from "../options/token.js";

/**
 * A change of a session:
 *
 * - `signed in`: a person has approved, and the session is stored.
 * - `renewed`: there is a new access token.
 * - `signed out`: the program ended the session.
 * - `ended`: the server did, because the session expired or somebody revoked it. Log in again.
 */
export interface SessionEvent {
  readonly kind: "signed in" | "renewed" | "signed out" | "ended";
  /** The granted scopes; empty after the end. */
  readonly scopes: readonly string[];
}

/** What the person who approves a device login needs to see. */
export interface DeviceLoginPrompt {
  /** Formatted for display: XXXX-XXXX. */
  readonly userCode: string;
  /** The page on which the person enters the code. */
  readonly verificationUri: string;
  /** The same page with the code filled in, for a link or a QR code. */
  readonly verificationUriComplete: string | undefined;
  readonly expiresAt: Date;
}

/** Options of a login with a device code. */
export interface DeviceLoginOptions {
  /** Shows the code to the person. Called once, before the first poll. */
  readonly onPrompt: (prompt: DeviceLoginPrompt) => void;
  /** Called after each poll that did not end the wait. */
  readonly onStatus?: ((status: DeviceAuthorizationStatus) => void) | undefined;
  /** Ends the login with `CANCELED`. */
  readonly signal?: AbortSignal | undefined;
}

/** An access token of a session. */
export interface CurrentToken extends AccessToken {
  readonly accessToken: SecretToken;
  readonly expiresAt: Date;
}

/** A session of a program that acts for a person. */
export interface RenewableSession<LoginOptions = DeviceLoginOptions> {
  /**
   * For `createPlatformClient({ token: session.token })`. Renews the access token before it expires, once for all callers. The
   * signal of a caller ends the wait of that caller only.
   */
  readonly token: (request?: Partial<TokenRequest>) => Promise<CurrentToken>;
  /** Asks a person to approve this program, and stores the session. Replaces an existing one. */
  logIn(options: LoginOptions): Promise<void>;
  /** Ends the session on the server, and removes it from the store, also if the server cannot be reached. */
  signOut(): Promise<void>;
  /** Resolves with the granted scopes, or undefined without a session. */
  scopes(): Promise<readonly string[] | undefined>;
}
