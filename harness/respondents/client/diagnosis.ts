/**
 * Finds the causes of a client's failures: another dialect, mistakes that the client always makes, mistakes that explain
 * single requests, and refusals that name their reason.
 *
 * @module
 */
import { type Cause, isNamed } from '../../../reference/mistakes/index.ts';
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import { type Dialect, inDialect } from '../../../reference/signing/index.ts';
import { diagnose, type FoundCause, isMistake } from '../../engine/diagnosis/diagnose.ts';
import type { Explanation } from '../../engine/diagnosis/explanation.ts';
import type { Observation } from '../../engine/diagnosis/observation.ts';
import { Predictor } from '../../engine/diagnosis/predictor.ts';
import { dropSynonyms, preferNamed } from '../../engine/diagnosis/synonyms.ts';
import { createDialectCause } from '../../engine/diagnosis/wrong-dialect.ts';
import { dialectName } from '../../engine/dialects.ts';
import { findMistakeById } from '../../engine/expectations/names.ts';
import {
  findDialectByQuery,
  findDialectByScheme,
  findHeaderValue,
} from '../../engine/explain/captured-request.ts';
import { computeWritten, type Hypothesis, searchCauses } from '../../engine/explain/causes.ts';
import type { Question } from '../../engine/protocol.ts';
import type { SuiteData } from '../../engine/suite-data.ts';
import { type ClientRequest, findRefusalCauses, findSignatureFault } from './client-request.ts';

/** Returns the causes by the number of requests that they explain; each lists its smallest request first. */
export function diagnoseClient(
  allRequests: readonly ClientRequest[],
  dialect: Dialect,
  data: SuiteData,
): Explanation {
  const dialectCauses = findDialectCauses(allRequests, dialect);
  const inOtherDialect = new Set(dialectCauses.flatMap(({ explains }) => explains));
  const requests = allRequests.filter(({ id }) => !inOtherDialect.has(id));
  const wrong = requests.filter(({ exchange }) => findSignatureFault(exchange) !== undefined);
  const { causes: signatureCauses, silent } = findSignatureCauses(requests, wrong, dialect, data);
  const causes = mergeById([
    ...dialectCauses,
    ...signatureCauses,
    ...findRefusalCauses(removeExplained(wrong, signatureCauses)),
    ...findFormCauses(requests),
  ]);
  return {
    causes: causes.toSorted((a, b) => b.explains.length - a.explains.length),
    unexplained: removeExplained(wrong, causes).map(({ id }) => id),
    shrunk: [],
    ...(silent !== undefined && { silent }),
  };
}

/** Finds mistakes that explain all requests together, and mistakes that explain the remaining ones one by one. */
function findSignatureCauses(
  requests: readonly ClientRequest[],
  wrong: readonly ClientRequest[],
  dialect: Dialect,
  data: SuiteData,
): SingleCauses {
  const common = findCommonCauses(requests, dialect);
  const firm = common.filter((cause) => !isWeak(cause));
  // A client that signs in several places may make a mistake in only one of them.
  const single = findSingleCauses(removeExplained(wrong, firm), dialect);
  const open = new Set(removeExplained(wrong, [...firm, ...single.causes]).map(({ id }) => id));
  const weak = common.filter((cause) => isWeak(cause) && cause.explains.some((id) => open.has(id)));
  const operations = requests.flatMap(suiteOperations);
  const causes = dropSynonyms([...firm, ...single.causes, ...weak], operations, data);
  return { ...single, causes: causes.map(preferNamed) };
}

function removeExplained(
  requests: readonly ClientRequest[],
  causes: readonly FoundCause[],
): readonly ClientRequest[] {
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  return requests.filter(({ id }) => !explained.has(id));
}

/** Whether a cause is an unnamed mistake, one of several that fit a single request. */
function isWeak({ mistake, confidence, explains }: FoundCause): boolean {
  const isUnnamed = isMistake(mistake) && !isNamed(mistake);
  return isUnnamed && confidence === 'one of' && explains.length === 1;
}

/** The operations of the suite that compute such a signature. */
function suiteOperations({ signature }: ClientRequest): readonly string[] {
  if (!signature) return [];
  const { subject } = signature;
  return OPERATIONS[subject.kind === 'parameters' ? subject.form : subject.kind];
}

const OPERATIONS = {
  header: ['authorization', 'policy-authorization', 'instant-upload'],
  url: ['presigned-url'],
  form: ['form-authorization'],
  query: ['action-signature', 'action-query', 'bucket-request'],
  json: ['action-signature', 'action-json'],
} as const;

/** Merges causes that are the same mistake, once in the signature of a request and once in its form. */
function mergeById(causes: readonly FoundCause[]): readonly FoundCause[] {
  const byId = new Map<string, FoundCause>();
  for (const cause of causes) {
    const before = byId.get(cause.mistake.id);
    const explains = [...new Set([...(before?.explains ?? []), ...cause.explains])];
    byId.set(cause.mistake.id, { ...(before ?? cause), explains });
  }
  return [...byId.values()];
}

/** Finds another dialect as the cause of all failures that show it; empty if any request is in the server's dialect. */
function findDialectCauses(
  requests: readonly ClientRequest[],
  expected: Dialect,
): readonly FoundCause[] {
  const recognized = requests.flatMap((request) => {
    const dialect = recognizeDialect(request);
    return dialect ? [{ request, dialect }] : [];
  });
  const [first] = recognized;
  const names = new Set(recognized.map(({ dialect }) => dialectName(dialect)));
  if (!first || names.size > 1 || names.has(dialectName(expected))) return [];
  const failing = recognized.filter(
    ({ request }) => findSignatureFault(request.exchange) !== undefined,
  );
  return [
    {
      mistake: createDialectCause(expected, first.dialect),
      confidence: 'exact',
      others: [],
      explains: failing.map(({ request }) => request.id),
    },
  ];
}

/** Recognizes a known dialect by the scheme of the Authorization, or by the public-key parameter. */
function recognizeDialect({ exchange, signature }: ClientRequest): Dialect | undefined {
  const subject = signature?.subject;
  const value =
    subject?.kind === 'form'
      ? subject.sent.written
      : findHeaderValue(exchange.headers, 'Authorization');
  if (value !== undefined) return findDialectByScheme(value);
  return findDialectByQuery(exchange.target.replace(/^[^?]*\??/, ''));
}

/** How many correct and how many wrong requests of an operation are compared with predictions. */
const COMPARED_REQUESTS = 25;

/** Finds the mistakes that predict what the client has sent in all signed requests together. */
function findCommonCauses(
  requests: readonly ClientRequest[],
  dialect: Dialect,
): readonly FoundCause[] {
  const context = inDialect(dialect);
  const hypotheses = new Map<Question, Hypothesis>();
  const compared = new Set<Question>();
  const counts = new Map<string, number>();
  const observations = requests.flatMap((request): readonly Observation[] => {
    const { id, operation, signature, exchange } = request;
    if (!signature || hasVendorText(exchange)) return [];
    const { subject, keys, right } = signature;
    const { judgement, method, target, headers } = exchange;
    // The question is never asked; only its size counts, to find the smallest request.
    const question = { operation, keys, input: { method, target, headers } };
    hypotheses.set(question, { causes: [], signed: subject, keys, context });
    const group = `${operation} ${judgement?.kind}`;
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    if (count <= COMPARED_REQUESTS) compared.add(question);
    return [{ id, question, right: right.written, actual: subject.sent.written }];
  });
  const predictor = new Predictor(
    context,
    (question, withMistakes) => {
      const hypothesis = hypotheses.get(question);
      return hypothesis && computeWritten({ ...hypothesis, context: withMistakes });
    },
    { sizeOf: (question) => (compared.has(question) ? 0 : Number.POSITIVE_INFINITY) },
  );
  return diagnose(observations, predictor).causes;
}

/** A vendor text is no mistake, and shows no absence of mistakes either. */
function hasVendorText({ judgement }: Exchange): boolean {
  return judgement?.kind === 'right' && judgement.vendorText !== undefined;
}

/** How many requests are examined, and how many answers may be computed for each. */
const MOST_REQUESTS = 24;
const EVALUATIONS = 8000;

interface SingleCauses {
  readonly causes: readonly FoundCause[];
  /** Says that some requests were not examined. */
  readonly silent?: string;
}

/** The explanations of a request by their names; the causes of one explain it together. */
type Explanations = ReadonlyMap<string, readonly Cause[]>;

/** Explains the form of requests; each fault of a request is explained separately. */
function findFormCauses(requests: readonly ClientRequest[]): readonly FoundCause[] {
  const faults = requests.flatMap(({ id, signature }) =>
    (signature?.faults ?? []).map(
      ({ causes }, i) => [`${id} ${i}`, byName(causes.map((cause) => [cause]))] as const,
    ),
  );
  return chooseFewest(new Map(faults)).map((cause) => ({
    ...cause,
    explains: [...new Set(cause.explains.map((fault) => fault.replace(/ \d+$/, '')))],
  }));
}

/** Finds the fewest causes that explain the signatures of the requests. */
function findSingleCauses(requests: readonly ClientRequest[], dialect: Dialect): SingleCauses {
  const context = inDialect(dialect);
  const explained = new Map<string, Explanations>();
  const wrong = takeTurns(requests).flatMap(({ id, signature }) =>
    signature && signature.right.written !== signature.subject.sent.written
      ? [{ id, signature }]
      : [],
  );
  for (const { id, signature } of wrong.slice(0, MOST_REQUESTS)) {
    const { subject, keys } = signature;
    const { explanations } = searchCauses(subject, keys, context, EVALUATIONS);
    if (explanations.length > 0)
      explained.set(id, byName(explanations.map(({ causes }) => causes)));
  }
  const skipped = wrong.length - MOST_REQUESTS;
  const silent = `${skipped} requests were not examined, because ${MOST_REQUESTS} others were`;
  return { causes: chooseFewest(explained), ...(skipped > 0 && { silent }) };
}

/** Orders the requests so that each operation's shortest comes first, then each one's second shortest, and so on. */
function takeTurns(requests: readonly ClientRequest[]): readonly ClientRequest[] {
  const size = ({ signature }: ClientRequest): number =>
    JSON.stringify(signature?.lines ?? []).length;
  const turns = new Map<string, number>();
  return requests
    .toSorted((a, b) => size(a) - size(b))
    .map((request) => {
      const turn = turns.get(request.operation) ?? 0;
      turns.set(request.operation, turn + 1);
      return [turn, request] as const;
    })
    .toSorted(([a], [b]) => a - b)
    .map(([, request]) => request);
}

function byName(explanations: readonly (readonly Cause[])[]): Explanations {
  return new Map(explanations.map((causes) => [causes.map(({ id }) => id).join('+'), causes]));
}

/** Chooses the explanation that explains the most requests, then the same for the remaining requests. */
function chooseFewest(explained: ReadonlyMap<string, Explanations>): readonly FoundCause[] {
  const left = new Map(explained);
  const chosen: FoundCause[] = [];
  while (left.size > 0) {
    const idsByName = groupByName(left);
    const [best = '', ids = []] =
      [...idsByName].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
    const findCause = (name: string): readonly Cause[] => {
      const causes = left.get(ids[0] ?? '')?.get(name);
      return causes ? [toCause(name, causes)] : [];
    };
    const alike = [...idsByName]
      .filter(([name, own]) => name !== best && own.join() === ids.join())
      .map(([name]) => name);
    const [mistake] = findCause(best);
    if (!mistake) break;
    chosen.push({
      mistake,
      confidence: alike.length === 0 ? 'exact' : 'one of',
      others: alike.flatMap(findCause),
      explains: ids,
    });
    for (const id of ids) left.delete(id);
  }
  return chosen;
}

function groupByName(
  explained: ReadonlyMap<string, Explanations>,
): ReadonlyMap<string, readonly string[]> {
  const idsByName = new Map<string, string[]>();
  for (const [id, explanations] of explained) {
    for (const name of explanations.keys()) {
      idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
    }
  }
  return idsByName;
}

/** Takes the mistake from the register; makes a cause of others, such as a change after signing or several causes at once. */
function toCause(id: string, causes: readonly Cause[]): Cause {
  const known = findMistakeById(id);
  if (known) return known;
  const join = (member: 'wrong' | 'fix'): string => causes.map((one) => one[member]).join('; and ');
  // Without steps, because no single step of the specification goes wrong.
  return { id, rule: causes[0]?.rule ?? '', wrong: join('wrong'), fix: join('fix') };
}
