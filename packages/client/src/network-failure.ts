/** Says that no answer arrived, so that it is not taken for a fault of the program. */
export class NetworkFailure extends Error {}
