/**
 * Requests to a verifier with another signature, which tell its possible mistakes apart.
 *
 * @module
 */
import { type Mistake, mistaken } from '../../../reference/mistakes/index.ts';
import { type Context, inDialect, urlEncode, withSteps } from '../../../reference/signing/index.ts';
import { listRewritings } from '../../engine/answer.ts';
import { Predictor } from '../../engine/diagnosis/predictor.ts';
import { computeReply } from '../../engine/diagnosis/reference-reply.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Input } from '../../engine/vector.ts';

/**
 * The same request with the signature that a verifier with these mistakes expects; undefined if that is the sent signature,
 * or the verifier compares none.
 *
 * Only verifiers that compute the same signature accept it.
 */
export function signForVerifier(
  question: Question,
  mistakes: readonly Mistake[],
  dialect: Dialect,
): Question | undefined {
  const compared = compareSignatures(question, mistaken(inDialect(dialect), mistakes));
  if (!compared || compared.expected === compared.received) return undefined;
  return replaceSignature(question, compared.received, compared.expected);
}

/** A request with the signature that a verifier with some mistakes expects. */
interface Resigned {
  readonly question: Question;
  /** The simplest mistake with this signature, beside those that were given. */
  readonly further: Mistake;
}

/**
 * The request with each signature that a verifier expects if it makes one further mistake, those of common mistakes first.
 *
 * @param candidates the further mistakes; by default, all
 */
export function signForEach(
  question: Question,
  made: readonly Mistake[],
  dialect: Dialect,
  candidates?: readonly Mistake[],
): readonly Resigned[] {
  const compared = compareSignatures(question, mistaken(inDialect(dialect), made));
  if (!compared) return [];
  const { received } = compared;
  const predictor = new Predictor(
    inDialect(dialect),
    (asked, context) => compareSignatures(asked, context)?.expected,
  );
  const effects = candidates
    ? predictor.computeChanges(question, made, candidates)
    : predictor.computeAllEffects(question, made);
  return effects
    .flatMap(({ answer = received, mistakes }): readonly Resigned[] => {
      const [further] = [...mistakes].sort((a, b) => a.cost - b.cost);
      if (answer === received || !further) return [];
      return [{ question: replaceSignature(question, received, answer), further }];
    })
    .sort((a, b) => a.further.cost - b.further.cost);
}

/** The same request with wrong texts of the correct signature. Lenient comparisons accept some of them. */
export function rewriteSignature(question: Question, dialect: Dialect): readonly Question[] {
  const compared = compareSignatures(question, inDialect(dialect));
  if (!compared) return [];
  const { expected, received } = compared;
  // A space or tab in Authorization tests how the header is parsed, not how signatures are compared.
  const isCompared = (text: string): boolean =>
    question.operation !== 'verify-authorization' || !/[ \t]/.test(text);
  return listRewritings(expected)
    .filter(isCompared)
    .map((text) => replaceSignature(question, received, text));
}

function replaceSignature(question: Question, received: string, signature: string): Question {
  const replace = (text: string): string => text.replace(received, () => signature);
  const replaceParameter = (text: string): string =>
    text
      .replace(`Signature=${urlEncode(received)}`, () => `Signature=${urlEncode(signature)}`)
      .replace(`Signature=${received}`, () => `Signature=${signature}`);
  const { url, query, body, headers } = question.input;
  const input: Input = {
    ...question.input,
    ...(url !== undefined && { url: replaceParameter(url) }),
    ...(query !== undefined && { query: replaceParameter(query) }),
    ...(body !== undefined && { body: replace(body) }),
    ...(headers && {
      headers: headers.map(([name, value]) => [
        name,
        name.trim().toLowerCase() === 'authorization' ? replace(value) : value,
      ]),
    }),
  };
  return { ...question, input };
}

interface ComparedSignatures {
  readonly expected: string;
  readonly received: string;
}

/** The signatures that a verifier compares; undefined if the request has none. */
function compareSignatures(question: Question, context: Context): ComparedSignatures | undefined {
  let compared: ComparedSignatures | undefined;
  const sameText = (expected: string, received: string): boolean => {
    compared = received === '' ? undefined : { expected, received };
    return expected === received;
  };
  computeReply(withSteps(context, { sameText }), question);
  return compared;
}
