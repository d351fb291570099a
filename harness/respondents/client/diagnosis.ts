/**
 * Finds the causes of a client's failures: another dialect, mistakes that the client always makes, mistakes that explain
 * single requests, and refusals that name their reason.
 *
 * @module
 */
import { isNamed } from '../../../reference/mistakes/index.ts';
import { type Context, type Dialect, inDialect } from '../../../reference/signing/index.ts';
import { diagnose, type FoundCause, isMistake } from '../../engine/diagnosis/diagnose.ts';
import type { Explanation } from '../../engine/diagnosis/explanation.ts';
import type { Observation } from '../../engine/diagnosis/observation.ts';
import { Predictor } from '../../engine/diagnosis/predictor.ts';
import { dropSynonyms, preferNamed } from '../../engine/diagnosis/synonyms.ts';
import { createDialectCause } from '../../engine/diagnosis/wrong-dialect.ts';
import { dialectName } from '../../engine/dialects.ts';
import { computeWritten, type Hypothesis } from '../../engine/explain/causes.ts';
import {
  findDialectByQuery,
  findDialectByScheme,
  findHeaderValue,
} from '../../engine/explain/target.ts';
import type { Question } from '../../engine/protocol.ts';
import type { SuiteData } from '../../engine/suite-data.ts';
import type { ClientRequest, RequestSignature } from './client-request.ts';
import { findRefusalCauses, findSignatureFault } from './refusals.ts';
import { findFormCauses, findSingleCauses, type SingleCauses } from './single-causes.ts';

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
  const { observations, predictor } = observe(requests, dialect);
  const common = diagnose(observations, predictor).causes;
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

interface Observed {
  readonly observations: readonly Observation[];
  readonly predictor: Predictor;
}

/** Turns signed requests into observations, and predicts what a client with given mistakes would have sent. */
function observe(requests: readonly ClientRequest[], dialect: Dialect): Observed {
  const context = inDialect(dialect);
  const hypotheses = new Map<Question, Hypothesis>();
  const compared = new Set<Question>();
  const counts = new Map<string, number>();
  const observations = requests.flatMap((request): readonly Observation[] => {
    const { id, operation, signature, exchange } = request;
    if (!signature || hasVendorText(request)) return [];
    const question = toQuestion(request, signature);
    hypotheses.set(question, toHypothesis(signature, context));
    const group = `${operation} ${exchange.judgement?.kind}`;
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    if (count <= COMPARED_REQUESTS) compared.add(question);
    const { subject, right } = signature;
    return [{ id, question, right: right.written, actual: subject.sent.written }];
  });
  const predictor = new Predictor(
    context,
    (question, withMistakes) => {
      const hypothesis = hypotheses.get(question);
      return hypothesis && computeWritten({ ...hypothesis, context: withMistakes });
    },
    (question) => (compared.has(question) ? 0 : Number.POSITIVE_INFINITY),
  );
  return { observations, predictor };
}

/** A vendor text is no mistake, and shows no absence of mistakes either. */
function hasVendorText({ exchange: { judgement } }: ClientRequest): boolean {
  return judgement?.kind === 'right' && judgement.vendorText !== undefined;
}

/** The question is never asked; only its size counts, to find the smallest request. */
function toQuestion({ operation, exchange }: ClientRequest, { keys }: RequestSignature): Question {
  const { method, target, headers } = exchange;
  return { operation, keys, input: { method, target, headers } };
}

function toHypothesis({ subject, keys }: RequestSignature, context: Context): Hypothesis {
  return { faults: [], signed: subject, keys, context };
}
