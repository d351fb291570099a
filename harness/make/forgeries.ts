/**
 * Forged requests: the requests of signing vectors, signed with known mistakes; and a choice of few that show every mistake.
 *
 * @module
 */
import { MISTAKES, type Mistake, touches } from '../../reference/mistakes/index.ts';
import { findUsedSteps, replyWithMistakes } from '../engine/diagnosis/reference-reply.ts';
import type { Forgery } from '../engine/judge/forgery.ts';
import { toControlQuestion } from '../engine/judge/outcome.ts';
import type { Dialect, Question } from '../engine/protocol.ts';
import type { Input, Stages, Vector } from '../engine/vector.ts';

/** The question about a signed request that its verifier receives. */
interface Verification {
  readonly operation: string;
  /** Undefined if no input of the verifier can hold the request. */
  readonly toInput: (signed: Input, sent: Stages) => Input | undefined;
}

/** A pre-signed URL is verified so many seconds before it expires. */
const SECONDS_LEFT = 60;

const IN_HEADER: Verification = {
  operation: 'verify-authorization',
  toInput: ({ method, bucket, key, headers }, { authorization }) => ({
    method,
    bucket,
    key,
    headers: [...(headers ?? []), ['Authorization', String(authorization)]],
  }),
};

/** By signing operation. No operation verifies forms and instant uploads. */
const VERIFICATIONS: Readonly<Record<string, Verification>> = {
  authorization: IN_HEADER,
  'policy-authorization': IN_HEADER,
  'presigned-url': {
    operation: 'verify-presigned-url',
    toInput: ({ method, headers, fileHost, expires }, { url }) => ({
      method,
      headers,
      fileHost,
      url: String(url),
      now: `${Math.max(0, Number(expires) - SECONDS_LEFT)}`,
    }),
  },
  'action-query': {
    operation: 'verify-query',
    toInput: (_, { query }) => ({ query: String(query) }),
  },
  'bucket-request': {
    operation: 'verify-query',
    toInput: (_, { target }) => {
      const [path, query] = String(target).split(/(?<=^\/)\?/);
      return path === '/' && query !== undefined ? { query } : undefined;
    },
  },
  'action-json': { operation: 'verify-json', toInput: (_, { body }) => ({ body: String(body) }) },
};

/** The operation that verifies the requests of a signing operation; undefined if no operation does. */
export function verifyingOperation(signing: string): string | undefined {
  return VERIFICATIONS[signing]?.operation;
}

/** The operation that signs the requests of a verify operation; the simplest of several. */
export function signingOperation(verifying: string): string {
  const signs = (signing: string): boolean => verifyingOperation(signing) === verifying;
  return Object.keys(VERIFICATIONS).find(signs) ?? '';
}

/** The verifier's input with a signed request; undefined if no input can hold it. */
export function toVerifyInput(signing: string, signed: Input, sent: Stages): Input | undefined {
  return VERIFICATIONS[signing]?.toInput(signed, sent);
}

/**
 * The Base64 of 20 bytes with another last digit, for which lenient decoders yield the same bytes: two bits of it are unused. As
 * both are 0, the next character sets one of them.
 */
export const setUnusedBit = (text: string): string =>
  text.replace(/.(?==$)/, (digit) => String.fromCharCode(digit.charCodeAt(0) + 1));

/** The request that a signer with these mistakes sends; undefined if it sends none. */
function signRequest(
  { operation, keys, input: unsigned }: Question,
  mistakes: readonly Mistake[],
  dialect: Dialect,
): Question | undefined {
  const verifying = verifyingOperation(operation);
  if (verifying === undefined) return undefined;
  const reply = replyWithMistakes({ operation, keys, input: unsigned }, mistakes, dialect);
  if (reply.kind !== 'result') return undefined;
  const input = toVerifyInput(operation, unsigned, reply.result);
  return input && { operation: verifying, keys, input };
}

/** Reasons that rules of the levels open and advised name: a verifier may accept such a request if its signature is correct. */
const TOLERATED_REASONS: ReadonlySet<string> = new Set([
  'header-name',
  'header-value',
  'parameter-repeated',
  'query-malformed',
  'body-malformed',
]);

/** Rules of the level open: a request that breaks only these is no forgery. */
const OPEN_RULES: ReadonlySet<string> = new Set(['5.2/scheme-case']);

/** What verifiers may do by rules of the level open (§5.1, §5.3). A request that is accepted then is no forgery. */
const OPEN_BEHAVIOUR: Readonly<Record<string, readonly string[]>> = {
  'verify-json': ['verify-ignoring-case'],
  'verify-query': ['verify-ignoring-case', 'verify-query-plus-as-space'],
};

/** Whether a verifier that follows the specification may accept a request. */
function isTolerated({ operation, keys, input }: Question, dialect: Dialect): boolean {
  const behaviour = OPEN_BEHAVIOUR[operation] ?? [];
  return MISTAKES.filter(({ id }) => behaviour.includes(id)).some(
    (one) => replyWithMistakes({ operation, keys, input }, [one], dialect).kind === 'result',
  );
}

/**
 * The forgeries of one vector's request. If several mistakes lead to the same request, they share a forgery.
 *
 * A mistake leads to no forgery if the request is signed correctly all the same: verifiers must accept it.
 */
export function createForgeries(
  vector: Vector,
  dialect: Dialect,
  mistakes: readonly Mistake[] = MISTAKES,
): readonly Forgery[] {
  const control = createControl(vector, dialect);
  if (!control) return [];
  const used = findUsedSteps(vector, dialect);
  const bySent = new Map<string, Question & { mistakes: string[] }>();
  for (const mistake of mistakes) {
    if (!touches(mistake, used) || OPEN_RULES.has(mistake.rule)) continue;
    const sent = signRequest(vector, [mistake], dialect);
    if (!sent) continue;
    const known = bySent.get(JSON.stringify(sent));
    if (known) known.mistakes.push(mistake.id);
    else bySent.set(JSON.stringify(sent), { ...sent, mistakes: [mistake.id] });
  }
  return [...bySent.values()].flatMap((sent) => {
    const reason = refusalReason(sent, dialect);
    const isForged =
      reason !== undefined && !TOLERATED_REASONS.has(reason) && !isTolerated(sent, dialect);
    return isForged ? [{ ...sent, reason, vector: vector.id, control }] : [];
  });
}

/** The correctly signed request of a vector, or of its control if the vector's own cannot be signed. */
function createControl(vector: Vector, dialect: Dialect): Question | undefined {
  // Verifiers need not follow advice, and open questions have no correct answer.
  if (vector.level === 'advised' || vector.level === 'open') return undefined;
  if (!vector.expect && !vector.control) return undefined;
  const sent = signRequest(toControlQuestion(vector), [], dialect);
  return sent && replyWithMistakes(sent, [], dialect).kind === 'result' ? sent : undefined;
}

/** Why verifiers must refuse a request. Expiry does not count: an expired request is signed correctly. */
function refusalReason(sent: Question, dialect: Dialect): string | undefined {
  const reply = replyWithMistakes(sent, [], dialect);
  return reply.kind === 'refused' && reply.reason !== 'expired' ? reply.reason : undefined;
}

/** The mistakes with which a verifier accepts a forgery, beyond the mistakes that lead to the forgery. */
function findAcceptingMistakes(
  { operation, keys, input, mistakes: own }: Forgery,
  dialect: Dialect,
  mistakes: readonly Mistake[],
): readonly string[] {
  const question = { operation, keys, input };
  const used = findUsedSteps(question, dialect);
  const accepting = mistakes.filter(
    (mistake) =>
      !own.includes(mistake.id) &&
      touches(mistake, used) &&
      replyWithMistakes(question, [mistake], dialect).kind === 'result',
  );
  return accepting.map(({ id }) => id);
}

/**
 * The same forgeries for other versions of their vectors: in another dialect, or on fresh data.
 *
 * @param vectors the vectors that the forgeries name, in the words of the dialect
 */
export function recreateForgeries(
  forgeries: readonly Forgery[],
  vectors: readonly Vector[],
  dialect: Dialect,
): readonly Forgery[] {
  const byId = new Map(vectors.map((vector) => [vector.id, vector]));
  const controls = new Map<string, Question>();
  return forgeries.flatMap((old) => {
    const { vector: id, mistakes } = old;
    const vector = byId.get(id);
    const planted = MISTAKES.filter((mistake) => mistakes.includes(mistake.id));
    const forged = vector ? createForgeries(vector, dialect, planted) : [];
    return forged.map((forgery) => {
      // One object for each control, so that a run asks it once.
      const control = controls.get(id) ?? forgery.control;
      controls.set(id, control);
      return { ...old, ...forgery, control };
    });
  });
}

/** Both operations verify with the same code: a mistake that a forgery of the latter shows needs no forgery of the former. */
const AKIN: Readonly<Record<string, string>> = {
  'verify-presigned-url': 'verify-authorization',
  'verify-json': 'verify-query',
};

/** For each operation, few forgeries that show every mistake that its forgeries can show. */
export function chooseForgeries(all: readonly Forgery[], dialect: Dialect): readonly Forgery[] {
  const names = new Set(all.flatMap(({ mistakes }) => mistakes));
  const signing = MISTAKES.filter(({ id }) => names.has(id));
  const operations = [...new Set(all.map(({ operation }) => operation))];
  return operations
    .flatMap((operation) => chooseForOperation(all, operation))
    .map((forgery) => {
      const acceptedWith = findAcceptingMistakes(forgery, dialect, signing);
      return acceptedWith.length === 0 ? forgery : { ...forgery, acceptedWith };
    });
}

function chooseForOperation(all: readonly Forgery[], operation: string): readonly Forgery[] {
  const akin = AKIN[operation];
  const own = all.filter((forgery) => forgery.operation === operation);
  const shownThere = new Set(mistakesIn(all.filter((forgery) => forgery.operation === akin)));
  const mistakes = mistakesIn(own);
  const onlyHere = mistakes.filter((mistake) => !shownThere.has(mistake));
  const shared = mistakes.filter((mistake) => shownThere.has(mistake));
  // Smallest requests first: small requests have few other ways to fail.
  const sorted = own.toSorted((a, b) => size(a) - size(b));
  const always = chooseShowing(onlyHere, sorted, []);
  return chooseShowing(shared, sorted, always).map((forgery) =>
    akin === undefined || always.includes(forgery) ? forgery : { ...forgery, unlessOffered: akin },
  );
}

/** Adds forgeries until these mistakes are shown, and told apart from all others if any forgery can do that. */
function chooseShowing(
  mistakes: readonly string[],
  forgeries: readonly Forgery[],
  before: readonly Forgery[],
): readonly Forgery[] {
  const chosen = new Set(before);
  // Of the fitting ones, prefers that to which the fewest mistakes lead, then the one with the smallest control.
  const addOne = (isFitting: (names: readonly string[]) => boolean): void => {
    const fits = ({ mistakes: names }: Forgery): boolean => isFitting(names);
    if ([...chosen].some(fits)) return;
    const fitting = forgeries.filter(fits);
    const [best] = fitting.sort((a, b) => a.mistakes.length - b.mistakes.length);
    if (best) chosen.add(best);
  };
  for (const mistake of mistakes) addOne((names) => names.includes(mistake));
  for (const one of mistakes) {
    for (const other of mistakesIn(forgeries)) {
      addOne((names) => names.includes(one) !== names.includes(other));
    }
  }
  return [...chosen];
}

function mistakesIn(forgeries: readonly Forgery[]): readonly string[] {
  return [...new Set(forgeries.flatMap(({ mistakes }) => mistakes))];
}

function size({ control }: Forgery): number {
  return JSON.stringify(control.input).length;
}
