/** An encrypted payload: the JSON form of `platform.v1.EncryptedPayload`. */
export interface EncryptedPayload {
  readonly alg: string;
  readonly nonce: string;
  readonly aad: string;
  readonly ciphertext: string;
  readonly version: number;
}
