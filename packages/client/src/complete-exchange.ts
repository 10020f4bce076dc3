/** What an answer to an exchange says of tokens. */
interface ExchangeAnswer {
  readonly status: string;
  readonly tokenType: string;
  readonly accessToken: string;
  readonly brokerToken?: { readonly accessToken: string } | undefined;
}

/** Whether an answer to an exchange holds all that its status promises. */
export function isCompleteExchange({ status, tokenType, accessToken, brokerToken }: ExchangeAnswer): boolean {
  if (status !== "approved") return status !== "";
  return tokenType !== "" && accessToken !== "" && brokerToken !== undefined && brokerToken.accessToken !== "";
}
