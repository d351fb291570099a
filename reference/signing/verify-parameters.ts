/**
 * The other direction of §5.1: is this query, or this JSON body, signed rightly?
 *
 * @module
 */
import { type ActionStages, signatureOfFlat, signedParameters } from './action-signature.ts';
import { urlDecode } from './percent-encoding.ts';
import type { Context } from './steps.ts';
import type { ActionParameters, FlatParameters, Pair, ParameterValue } from './types.ts';
import {
  type Accounts,
  judged,
  type RefusalReason,
  refusal,
  refusingBadInput,
  type Verification,
} from './verification.ts';

/** The names and values of a query, decoded. */
export type DecodedQuery = readonly Pair[];

/** Decodes a query (§5.3); `undefined` where an escape is not one. A piece without `=` has an empty value. */
export function decodedQuery(query: string): DecodedQuery | undefined {
  const pairs: Pair[] = [];
  for (const piece of query.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = urlDecode(equals < 0 ? piece : piece.slice(0, equals));
    const value = urlDecode(equals < 0 ? '' : piece.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

/** Verifies the query of an action or of bucket management. */
export function verifyQuery(
  query: string,
  accounts: Accounts,
  context: Context,
): Verification<ActionStages> {
  return refusingBadInput(() => {
    const parameters = context.steps.decodedQuery(query);
    if (!parameters) {
      return refusal(
        'query-malformed',
        `query ${JSON.stringify(query)} has an escape that is not UTF-8 (§5.3)`,
      );
    }
    return verifyParameters(parameters, accounts, context);
  });
}

const UNSIGNABLE: readonly RefusalReason[] = ['parameter-null', 'number'];

/** Verifies the JSON body of an action. */
export function verifyJson(
  body: string,
  accounts: Accounts,
  context: Context,
): Verification<ActionStages> {
  const verification = refusingBadInput(() => {
    const value = context.steps.jsonText(body);
    if (
      value === undefined ||
      value === null ||
      typeof value !== 'object' ||
      !('object' in value)
    ) {
      return refusal(
        'body-malformed',
        'the body is not one JSON object (§4.2); send the parameters as its members',
      );
    }
    if (repeatsMember(value)) {
      return refusal(
        'parameter-repeated',
        'the body has two members of one name; §5.1 signs a set of parameters',
      );
    }
    return verifyParameters(value.object, accounts, context);
  });
  // To sign a null is the caller's mistake; to receive one is a body that no signature is for.
  const unsignable = !verification.accepted && UNSIGNABLE.includes(verification.reason);
  return unsignable ? refusal('body-malformed', verification.message) : verification;
}

/** Whether an object, at any depth, has two members of one name; JSON gives such a body no single meaning. */
function repeatsMember(value: ParameterValue): boolean {
  if (typeof value !== 'object' || value === null || 'number' in value) return false;
  if ('list' in value) return value.list.some(repeatsMember);
  const names = new Set(value.object.map(([name]) => name));
  return (
    names.size < value.object.length || value.object.some(([, member]) => repeatsMember(member))
  );
}

/** The first parameter that §4.2 requires and that is not there. */
export function missingParameter(parameters: FlatParameters): string | undefined {
  return ['Action', 'PublicKey'].find((name) => !parameters.some(([present]) => present === name));
}

function verifyParameters(
  parameters: ActionParameters,
  accounts: Accounts,
  context: Context,
): Verification<ActionStages> {
  const signed = signedParameters(parameters, context);
  const signatures = parameters.filter(([name]) => name === 'Signature');
  const signature = signatures[0]?.[1];
  if (signatures.length > 1) {
    return refusal(
      'parameter-repeated',
      `parameter Signature appears ${signatures.length} times; §4.2 has it once`,
    );
  }
  if (typeof signature !== 'string' || signature === '') {
    return refusal(
      'signature-missing',
      'parameter Signature is missing, empty or not a text; §4.2 requires it; sign the request',
    );
  }
  const missing = context.steps.missingParameter(signed);
  if (missing !== undefined) {
    return refusal(
      'parameter-missing',
      `parameter ${missing} is missing; §4.2 requires it; add it before signing`,
    );
  }
  const publicKey = signed.find(([name]) => name === 'PublicKey')?.[1] ?? '';
  return judged(context.steps.valueText(publicKey, context), signature, accounts, context, (keys) =>
    signatureOfFlat(signed, keys.privateKey, context),
  );
}
