/**
 * The signature of bucket management and of the action API (§5.1).
 *
 * @module
 */
import { InputError } from './errors.ts';
import { isNumber } from './number-text.ts';
import type { Context, Steps } from './steps.ts';
import type { ActionParameters, FlatParameters, Pair, ScalarValue, StringToSign } from './types.ts';
import { checkText } from './utf-8.ts';

export interface ActionStages {
  readonly sortedParameters: readonly Pair[];
  /** Ends with the private key: never show it for keys that are not public test keys. */
  readonly stringToSign: StringToSign;
  readonly signature: string;
}

/** `Signature` itself is never signed (step 1, R2). */
export function isSignedParameter(name: string): boolean {
  return name !== 'Signature';
}

/** Booleans as words; §5.1 does not mention them. */
export function booleanText(value: boolean): string {
  return value ? 'true' : 'false';
}

/** The text of a value, before any URL encoding (step 3, R1). */
export function valueText(value: ScalarValue, { steps }: Context): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return steps.booleanText(value);
  return signedNumber(value.number, steps);
}

/** The text of a number, of whatever a language holds in its place. */
function signedNumber(digits: string, steps: Steps): string {
  if (!isNumber(digits)) return steps.otherNumber(digits);
  const text = steps.numberText(steps.heldNumber(digits));
  return text === '0' ? steps.signOfZero(digits) + text : text;
}

/** The name immediately followed by the value (step 3). */
export function parameterEntry(name: string, text: string): string {
  return name + text;
}

/** The private key ends the text (step 4). */
export function withPrivateKey(text: string, privateKey: string): string {
  return text + privateKey;
}

/**
 * Refuses a name that comes twice.
 *
 * §5.1 signs a set of parameters, so there is no text for two of one name.
 */
export function checkNames(parameters: FlatParameters): void {
  const seen = new Set<string>();
  for (const [name] of parameters) {
    if (seen.has(name)) {
      throw new InputError(
        'parameter-repeated',
        `parameter ${JSON.stringify(name)} appears twice; §5.1 signs a set of parameters; send it once`,
      );
    }
    seen.add(name);
  }
}

/** The parameters that are signed: flat, and without `Signature`. */
export function signedParameters(parameters: ActionParameters, { steps }: Context): FlatParameters {
  const signed = steps
    .flattened(parameters)
    .filter(([name, value]) => steps.isSignedParameter(name) && steps.isPresentValue(value));
  for (const [name, value] of signed) {
    checkText('the name of a parameter', name);
    if (typeof value === 'string')
      checkText(`the value of parameter ${JSON.stringify(name)}`, value);
  }
  steps.checkNames(signed);
  return signed;
}

/**
 * Signs parameters: the hexadecimal SHA-1 of the sorted names and values and the private key.
 *
 * @throws InputError where §5.1 gives a parameter no text
 */
export function actionSignature(
  parameters: ActionParameters,
  privateKey: string,
  context: Context,
): ActionStages {
  return signatureOfFlat(signedParameters(parameters, context), privateKey, context);
}

/** Signs parameters that are flat already. */
export function signatureOfFlat(
  parameters: FlatParameters,
  privateKey: string,
  context: Context,
): ActionStages {
  const { steps } = context;
  checkText('the private key', privateKey);
  const sortedParameters = parameters
    .map(([name, value]) => [name, steps.valueText(value, context)] as const)
    .sort(([a], [b]) => steps.compareParameterNames(a, b)); // step 2
  const text = steps.joinParameterEntries(
    sortedParameters.map(([name, value]) => steps.parameterEntry(name, value)),
  );
  const stringToSign = steps.withPrivateKey(text, privateKey) as StringToSign;
  const digest = steps.sha1(steps.actionTextBytes(stringToSign)); // step 5
  return { sortedParameters, stringToSign, signature: steps.actionSignatureText(digest) }; // step 6
}
