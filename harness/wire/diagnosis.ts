/**
 * Why requests of a client are signed wrongly: the mistakes that it makes, then what else explains single requests.
 *
 * @module
 */
import { isNamed } from '../../reference/mistakes/index.ts';
import type { Dialect } from '../../reference/signing/index.ts';
import { diagnosis, type FoundCause, isMistake } from '../diagnosis/diagnose.ts';
import type { Explanation } from '../diagnosis/explanation.ts';
import { withoutSynonyms, worded } from '../diagnosis/synonyms.ts';
import type { ClientRequest } from './client-request.ts';
import { dialectCauses } from './other-dialect.ts';
import { observed } from './predictor.ts';
import { refusalCauses, signatureFault } from './refusals.ts';
import { formCauses, singleCauses } from './single-causes.ts';

/** The causes, that which explains most first; each with the smallest request that shows it at its head. */
export function diagnosed(seen: readonly ClientRequest[], dialect: Dialect): Explanation {
  const inOther = dialectCauses(seen, dialect);
  const ofDialect = new Set(inOther.flatMap(({ explains }) => explains));
  const requests = seen.filter(({ id }) => !ofDialect.has(id));
  const wrong = requests.filter(({ exchange }) => signatureFault(exchange) !== undefined);
  const { observations, predictor } = observed(requests, dialect);
  const together = diagnosis(observations, predictor);
  const operations = requests.flatMap(operationsOf);
  const left = (causes: readonly FoundCause[]): readonly ClientRequest[] => {
    const explained = new Set(causes.flatMap(({ explains }) => explains));
    return wrong.filter(({ id }) => !explained.has(id));
  };
  const firm = together.causes.filter((cause) => !isWeak(cause));
  // A client that signs in several places makes a mistake in one of them, and not in the others.
  const single = singleCauses(left(firm), dialect);
  const open = new Set(left([...firm, ...single.causes]).map(({ id }) => id));
  const weak = together.causes.filter(
    (cause) => isWeak(cause) && cause.explains.some((id) => open.has(id)),
  );
  const all = withoutSynonyms([...firm, ...single.causes, ...weak], operations);
  const found = all.map(worded);
  const causes = merged([
    ...inOther,
    ...found,
    ...refusalCauses(left(found)),
    ...formCauses(requests),
  ]);
  return {
    causes: causes.toSorted((a, b) => b.explains.length - a.explains.length),
    unexplained: left(causes).map(({ id }) => id),
    shrunk: [],
    ...(single.silent !== undefined && { silent: single.silent }),
  };
}

/** Whether a cause is one of several that fit a single request, and has no words of its own. */
function isWeak({ mistake, confidence, explains }: FoundCause): boolean {
  const isUnnamed = isMistake(mistake) && !isNamed(mistake);
  return isUnnamed && confidence === 'one of' && explains.length === 1;
}

/** The operations of the suite whose vectors ask for such a signature. */
function operationsOf({ signature }: ClientRequest): readonly string[] {
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

/** A mistake that shows in the signature of one request and in the form of another is one cause. */
function merged(causes: readonly FoundCause[]): readonly FoundCause[] {
  const byId = new Map<string, FoundCause>();
  for (const cause of causes) {
    const before = byId.get(cause.mistake.id);
    const explains = [...new Set([...(before?.explains ?? []), ...cause.explains])];
    byId.set(cause.mistake.id, { ...(before ?? cause), explains });
  }
  return [...byId.values()];
}
