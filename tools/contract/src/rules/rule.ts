import type { FileRegistry } from "@bufbuild/protobuf";
import type { Place } from "../finding.ts";
import type { Sources } from "../sources.ts";

/** What the rules judge: the contract, and the text of the programs that speak it. */
export interface Judged {
  readonly contract: FileRegistry;
  readonly sources: Sources;
}

/** One place that breaks a rule. */
export interface Offence {
  readonly place: Place;
  /** What is wrong there, and what to write instead. */
  readonly message: string;
}

/** A rule of our own: what buf cannot know. */
export interface Rule {
  readonly id: string;
  /** What it is good for. */
  readonly purpose: string;
  /** What to do when it is broken. */
  readonly fix: string;
  offences(judged: Judged): Iterable<Offence>;
}
