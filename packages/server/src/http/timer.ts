/** The longest delay of a timer, in milliseconds: about 25 days. With a longer one, also Infinity, a timer fires at once. */
export const longestTimerMs = 2 ** 31 - 1;
