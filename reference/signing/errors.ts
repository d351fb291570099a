/**
 * What the signing code says of input that §5 gives no signature to.
 *
 * @module
 */

/** Why there is no signature. */
export type InputErrorCode =
  | 'bucket'
  | 'header-name'
  | 'header-repeated'
  | 'header-value'
  | 'method'
  | 'number'
  | 'parameter-missing'
  | 'parameter-null'
  | 'parameter-repeated'
  | 'text';

/** Input that §5 gives no signature to. The message never shows a key. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly code: InputErrorCode;

  constructor(code: InputErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
