/**
 * Finds causes for requests one by one, if no mistake that the client always makes explains them.
 *
 * @module
 */

import type { Cause } from '../../../reference/mistakes/index.ts';
import { type Dialect, inDialect } from '../../../reference/signing/index.ts';
import type { FoundCause } from '../../engine/diagnosis/diagnose.ts';
import { findMistakeById } from '../../engine/expectations/names.ts';
import type { RequestExplanation } from '../../engine/explain/causes.ts';
import { type Fault, searchCauses } from '../../engine/explain/causes.ts';
import type { ClientRequest } from './client-request.ts';

/** How many requests are examined, and how many answers may be computed for each. */
const MOST_REQUESTS = 24;
const EVALUATIONS = 8000;

export interface SingleCauses {
  readonly causes: readonly FoundCause[];
  /** Says that some requests were not examined. */
  readonly silent?: string;
}

/** The explanations of each request by their names. */
type Explanations = ReadonlyMap<string, ReadonlyMap<string, RequestExplanation>>;

/** Explains the form of requests; each fault of a request is explained separately. */
export function findFormCauses(requests: readonly ClientRequest[]): readonly FoundCause[] {
  const explained = new Map<string, ReadonlyMap<string, RequestExplanation>>();
  const idOfFault = new Map<string, string>();
  for (const { id, signature } of requests) {
    for (const [i, { explanations }] of (signature?.faults ?? []).entries()) {
      const fault = `${i} ${id}`;
      idOfFault.set(fault, id);
      explained.set(fault, byName(explanations));
    }
  }
  return chooseFewest(explained).map((cause) => ({
    ...cause,
    explains: [...new Set(cause.explains.flatMap((fault) => idOfFault.get(fault) ?? []))],
  }));
}

/** Finds the fewest causes that explain the signatures of the requests. */
export function findSingleCauses(
  requests: readonly ClientRequest[],
  dialect: Dialect,
): SingleCauses {
  const context = inDialect(dialect);
  const explained = new Map<string, ReadonlyMap<string, RequestExplanation>>();
  let examined = 0;
  let skipped = 0;
  for (const { id, signature } of takeTurns(requests)) {
    if (!signature || signature.right.written === signature.subject.sent.written) continue;
    if (examined === MOST_REQUESTS) skipped += 1;
    else {
      examined += 1;
      const { explanations } = searchCauses(
        signature.subject,
        signature.keys,
        context,
        EVALUATIONS,
      );
      if (explanations.length > 0) explained.set(id, byName(explanations));
    }
  }
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

function byName(
  explanations: readonly RequestExplanation[],
): ReadonlyMap<string, RequestExplanation> {
  const explanationName = ({ faults }: RequestExplanation): string =>
    faults.map(({ id, name = '' }) => id ?? name).join('+');
  return new Map(explanations.map((one) => [explanationName(one), one]));
}

/** Chooses the explanation that explains the most requests, then the same for the remaining requests. */
function chooseFewest(explained: Explanations): readonly FoundCause[] {
  const left = new Map(explained);
  const chosen: FoundCause[] = [];
  while (left.size > 0) {
    const idsByName = groupByName(left);
    const [best = '', ids = []] =
      [...idsByName].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
    const findCause = (name: string): readonly Cause[] => {
      const explanation = left.get(ids[0] ?? '')?.get(name);
      return explanation ? [toCause(name, explanation.faults)] : [];
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

function groupByName(explained: Explanations): ReadonlyMap<string, readonly string[]> {
  const idsByName = new Map<string, string[]>();
  for (const [id, explanations] of explained) {
    for (const name of explanations.keys()) {
      idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
    }
  }
  return idsByName;
}

/** Takes the mistake from the register; makes a cause of other faults, such as a change after signing or several faults at once. */
function toCause(id: string, faults: readonly Fault[]): Cause {
  const known = findMistakeById(id);
  if (known) return known;
  const join = (member: 'cause' | 'fix'): string =>
    faults.map((fault) => fault[member]).join('; and ');
  // Without steps, because no single step of the specification goes wrong.
  return { id, rule: faults[0]?.rule ?? '', wrong: join('cause'), fix: join('fix') };
}
