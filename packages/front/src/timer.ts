/** The longest delay of a timer, in milliseconds: about 25 days. A timer with a longer delay, such as Infinity, fires at once. */
export const longestTimerMs = 2 ** 31 - 1;
