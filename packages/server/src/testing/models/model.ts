/** A call on one object, as its caller saw it. */
export interface Call<Request, Result> {
  readonly request: Request;
  /** Undefined: no response arrived. Whether the call took effect is then unknown. */
  readonly result: Result | undefined;
  /** When the request was sent, and when the response arrived. Both in microseconds of the machine's monotonic clock. */
  readonly begunAt: number;
  readonly endedAt: number;
}

/** What calls on one object must return if they are made one after the other. States are immutable. */
export interface Model<State, Request, Result> {
  readonly initial: State;
  /**
   * Returns the state after a call; undefined if the call cannot have this result in this state. Without a result, returns the
   * state after the call took effect; undefined if it has no effect in this state.
   */
  step(state: State, request: Request, result: Result | undefined): State | undefined;
  /**
   * Returns whether a call can change neither this state nor any later one. With a result, it is called only if the call can have the
   * result in this state, and does not change it.
   */
  spent(state: State, request: Request, result: Result | undefined): boolean;
  /** Returns whether no request can have this result in this state or in any later one. May return false if that is unknown. */
  missed(state: State, result: Result): boolean;
  /** Returns the same text for equal states, and different texts for different ones. */
  keyOf(state: State): string;
}
