/** A lease of one of the processes that share a storage, such as that for their jobs. */
export interface Lease {
  /**
   * Takes the lease if no process has it, or renews it. Returns whether this process has it: for 10 s, unless it is renewed.
   *
   * @throws StorageError
   */
  hold(): Promise<boolean>;
  /** Gives the lease back, so that another process can take it at once. */
  release(): Promise<void>;
}
