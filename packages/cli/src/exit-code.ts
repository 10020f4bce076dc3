/** The exit codes of the program, for scripts. */
export const exitCode = {
  done: 0,
  /** The platform or this program failed, or rejected the command. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** There is no session, or it has ended. Run `platform login`. */
  notSignedIn: 3,
  /** Somebody changed the item first. */
  conflict: 4,
  /** The platform cannot be reached. */
  unreachable: 5,
  /** Ended by Ctrl+C. */
  canceled: 130,
} as const;
