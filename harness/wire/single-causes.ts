/**
 * What explains requests one by one, where no mistake that the client always makes does.
 *
 * @module
 */

import type { Cause } from '../../reference/mistakes/index.ts';
import { type Dialect, inDialect } from '../../reference/signing/index.ts';
import type { FoundCause } from '../diagnosis/diagnose.ts';
import { knownMistake } from '../diagnosis/register.ts';
import { causes, type Explanation, type Fault } from '../explain/cause.ts';
import type { ClientRequest } from './client-request.ts';

/** Requests that are looked into, and answers that may be computed for each. */
const MOST = 24;
const EVALUATIONS = 8000;

export interface SingleCauses {
  readonly causes: readonly FoundCause[];
  /** Why some requests were not looked into. */
  readonly silent?: string;
}

/** What explains the form of requests; every fault of a request is explained by itself. */
export function formCauses(requests: readonly ClientRequest[]): readonly FoundCause[] {
  const faults = requests.flatMap(({ id, signature }) =>
    (signature?.faults ?? []).map(
      ({ explanations }, i) => [[id, i] as const, explanations] as const,
    ),
  );
  const idOf = new Map(faults.map(([[id, i]]) => [`${i} ${id}`, id]));
  const explained = new Map(
    faults.map(([[id, i], explanations]) => [
      `${i} ${id}`,
      new Map(explanations.map((one) => [nameOf(one), one])),
    ]),
  );
  return fewest(explained).map((cause) => ({
    ...cause,
    explains: [...new Set(cause.explains.flatMap((name) => idOf.get(name) ?? []))],
  }));
}

type Explained = ReadonlyMap<string, ReadonlyMap<string, Explanation>>;

/** The fewest explanations, each of which explains some of the requests. */
export function singleCauses(requests: readonly ClientRequest[], dialect: Dialect): SingleCauses {
  const context = inDialect(dialect);
  const explained = new Map<string, ReadonlyMap<string, Explanation>>();
  let looked = 0;
  let late = 0;
  for (const { id, signature } of inTurns(requests)) {
    if (!signature || signature.right.written === signature.subject.sent.written) continue;
    if (looked === MOST) late += 1;
    else {
      looked += 1;
      const { explanations } = causes(signature.subject, signature.keys, context, EVALUATIONS);
      if (explanations.length > 0) {
        explained.set(id, new Map(explanations.map((one) => [nameOf(one), one])));
      }
    }
  }
  const silent = `${late} requests were not looked into, as ${MOST} others were`;
  return { causes: fewest(explained), ...(late > 0 && { silent }) };
}

/** The shortest of each operation, then the next: what is looked into first shows most. */
function inTurns(requests: readonly ClientRequest[]): readonly ClientRequest[] {
  const size = ({ signature }: ClientRequest): number =>
    JSON.stringify(signature?.lines ?? []).length;
  const bySize = requests.toSorted((a, b) => size(a) - size(b));
  const turns = new Map<string, number>();
  return bySize
    .map((request) => {
      const turn = turns.get(request.operation) ?? 0;
      turns.set(request.operation, turn + 1);
      return [turn, request] as const;
    })
    .toSorted(([a], [b]) => a - b)
    .map(([, request]) => request);
}

function nameOf({ faults }: Explanation): string {
  return faults.map(({ id, name = '' }) => id ?? name).join('+');
}

/** Takes what explains most, again and again. */
function fewest(explained: Explained): readonly FoundCause[] {
  const left = new Map(explained);
  const found: FoundCause[] = [];
  while (left.size > 0) {
    const idsByName = new Map<string, string[]>();
    for (const [id, names] of left) {
      for (const name of names.keys()) idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
    }
    const [best = '', ids = []] =
      [...idsByName].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
    const mistakeCalled = (name: string): readonly Cause[] => {
      const explanation = left.get(ids[0] ?? '')?.get(name);
      return explanation ? [mistakeOf(name, explanation.faults)] : [];
    };
    const alike = [...idsByName]
      .filter(([name, own]) => name !== best && own.join() === ids.join())
      .map(([name]) => name);
    const [mistake] = mistakeCalled(best);
    if (!mistake) break;
    found.push({
      mistake,
      confidence: alike.length === 0 ? 'exact' : 'one of',
      others: alike.flatMap(mistakeCalled),
      explains: ids,
    });
    for (const id of ids) left.delete(id);
  }
  return found;
}

/** The mistake of the register; or what became another thing after signing, or several things at once, by a name of its own. */
function mistakeOf(id: string, faults: readonly Fault[]): Cause {
  const known = knownMistake(id);
  if (known) return known;
  const joined = (member: 'cause' | 'fix'): string =>
    faults.map((fault) => fault[member]).join('; and ');
  // No single step of the specification makes it.
  return {
    id,
    rule: faults[0]?.rule ?? '',
    wrong: joined('cause'),
    fix: joined('fix'),
  };
}
