/**
 * Compares two reports: regressions, fixes and other changes.
 *
 * @module
 */
import { groupByKey } from '../group-by-key.ts';
import type { Status } from '../judge/judge.ts';
import { isFailure } from '../judge/summary.ts';
import type { OutcomeLine, RecordedAdapter, RecordedReport } from './lines.ts';

/** A change of one item: a vector, a question on fresh data, a forged request, or the whole run of an adapter. */
export interface Change {
  readonly name: string;
  /** The status in each report; undefined if the report lacks the item. */
  readonly before?: string;
  readonly after?: string;
  /** The mistakes that explain the failure in the second report. */
  readonly causes?: readonly string[];
}

export interface AdapterComparison {
  readonly adapter: string;
  readonly regressions: readonly Change[];
  readonly fixes: readonly Change[];
  /** Neither better nor worse, such as a crash that became a wrong answer. */
  readonly changed: readonly Change[];
  readonly added: readonly Change[];
  readonly gone: readonly Change[];
  /** Mistakes that only one of the reports names. */
  readonly newCauses: readonly string[];
  readonly goneCauses: readonly string[];
}

export interface Comparison {
  readonly adapters: readonly AdapterComparison[];
  /** The names of adapters that only one of the reports has. */
  readonly newAdapters: readonly string[];
  readonly goneAdapters: readonly string[];
}

export function compareReports(before: RecordedReport, after: RecordedReport): Comparison {
  const pairs = pairAdapters(before, after);
  const paired = new Set(pairs.flat());
  const names = ({ adapters }: RecordedReport): readonly string[] =>
    adapters.filter((one) => !paired.has(one)).map(({ line }) => line.adapter);
  return {
    adapters: pairs.map(([a, b]) => compareAdapters(a, toItems(a, before), b, toItems(b, after))),
    newAdapters: names(after),
    goneAdapters: names(before),
  };
}

type Pair = readonly [RecordedAdapter, RecordedAdapter];

/** Pairs of adapters with the same name. If each report has one adapter, these two, because the path of a command may change. */
function pairAdapters(before: RecordedReport, after: RecordedReport): readonly Pair[] {
  const [[a, ...rest], [b, ...others]] = [before.adapters, after.adapters];
  if (a && b && rest.length + others.length === 0) return [[a, b]];
  return before.adapters.flatMap((one): readonly Pair[] => {
    const same = after.adapters.find(({ line }) => line.adapter === one.line.adapter);
    return same ? [[one, same]] : [];
  });
}

/** The rank of a status; a better status has a higher rank. */
const RANK = { failure: 0, unknown: 1, right: 2 } as const;

interface Item {
  readonly status: string;
  readonly rank: number;
  readonly causes: readonly string[];
  /** Whether the item may be absent: which fresh and forged requests are asked depends on the version of the adapter. */
  readonly isVector: boolean;
  readonly isForged?: true;
}

/** By name. */
type Items = ReadonlyMap<string, Item>;

function compareAdapters(
  before: RecordedAdapter,
  itemsBefore: Items,
  after: RecordedAdapter,
  itemsAfter: Items,
): AdapterComparison {
  const old = withRefused(before, itemsBefore, itemsAfter);
  const current = withRefused(after, itemsAfter, itemsBefore);
  const both = [...current].flatMap(([name, item]) => {
    const was = old.get(name);
    return was ? [{ was, item, change: toChange(name, was, item) }] : [];
  });
  const changes = (isMeant: (was: Item, item: Item) => boolean): readonly Change[] =>
    both.filter(({ was, item }) => isMeant(was, item)).map(({ change }) => change);
  const [causesBefore, causesAfter] = [mistakesOf(before), mistakesOf(after)];
  return {
    adapter: after.line.adapter,
    regressions: changes((was, item) => item.rank < was.rank),
    fixes: changes((was, item) => item.rank > was.rank),
    changed: changes(
      (was, item) =>
        item.rank === was.rank &&
        (item.status !== was.status || item.causes.join() !== was.causes.join()),
    ),
    added: onlyIn(current, old).map(([name, item]) => toChange(name, undefined, item)),
    gone: onlyIn(old, current).map(([name, item]) => toChange(name, item, undefined)),
    newCauses: causesAfter.filter((id) => !causesBefore.includes(id)),
    goneCauses: causesBefore.filter((id) => !causesAfter.includes(id)),
  };
}

function toChange(name: string, before: Item | undefined, after: Item | undefined): Change {
  const causes = after?.causes ?? [];
  return {
    name,
    ...(before && { before: before.status }),
    ...(after && { after: after.status }),
    ...(causes.length > 0 && { causes }),
  };
}

function onlyIn(items: Items, others: Items): readonly (readonly [string, Item])[] {
  return [...items].filter(
    ([name, { rank, isVector }]) => !others.has(name) && (isVector || rank === RANK.failure),
  );
}

function toItems(adapter: RecordedAdapter, { header }: RecordedReport): Items {
  const { outcomes, fresh, forged } = adapter;
  const isEnforced = header.selection.levels.includes('advised');
  const named = groupCauses(adapter);
  const ofVectors = [...outcomes, ...fresh].map((line) => {
    return [line.id, toItem(line, isEnforced, named.get(line.id) ?? [])] as const;
  });
  const ofForged = forged.map(({ operation, id, mistakes, status, known }) => {
    const name = `${operation}/forged: ${id} signed with ${mistakes.join(', ')}`;
    const rank = known || UNJUDGED.includes(status) ? RANK.unknown : RANK.failure;
    const shown = known ? KNOWN : status === 'fail' ? 'accepted' : status;
    return [name, { status: shown, rank, causes: [], isVector: false, isForged: true }] as const;
  });
  return new Map<string, Item>([['the run', toRunItem(adapter)], ...ofVectors, ...ofForged]);
}

/** The items, plus the forged requests that only the other report names: they were refused here, because reports list only others. */
function withRefused({ line }: RecordedAdapter, items: Items, others: Items): Items {
  if (line.forged === undefined) return items;
  const forged = [...others].filter(([name, { isForged }]) => isForged && !items.has(name));
  const refused: Item = { status: 'refused', rank: RANK.right, causes: [], isVector: false };
  return new Map<string, Item>([...items, ...forged.map(([name]) => [name, refused] as const)]);
}

const KNOWN = 'known failure';

const UNJUDGED: readonly Status[] = ['not-asked', 'unsupported', 'unjudged'];

/** The sorted mistakes that explain each failure; "unexplained" comes last. */
function groupCauses({
  causes,
  unexplained,
}: RecordedAdapter): ReadonlyMap<string, readonly string[]> {
  const sorted = causes.toSorted((a, b) => (a.mistake < b.mistake ? -1 : 1));
  const open = new Set(unexplained.flatMap(({ ids }) => ids));
  const named = sorted.flatMap(({ mistake, ids }) => ids.map((id) => [id, mistake] as const));
  return groupByKey([...named, ...[...open].map((id) => [id, 'unexplained'] as const)]);
}

function toItem(line: OutcomeLine, isEnforced: boolean, causes: readonly string[]): Item {
  const { status, known, level } = line;
  const failed = isFailure({
    vector: { level },
    verdict: { status },
    isEnforced,
    ...(known && { known: { causes: [], reason: '' } }),
  });
  const isRight = status === 'pass' || (level === 'open' && status === 'open');
  const rank = failed ? RANK.failure : isRight ? RANK.right : RANK.unknown;
  return { status: known ? KNOWN : status, rank, causes, isVector: line.type === 'outcome' };
}

/** The run as one item, so that an adapter that no longer starts counts as a regression. */
function toRunItem({ line }: RecordedAdapter): Item {
  const { notRun, neverWorked, internalError, over } = line;
  const status =
    (notRun !== undefined && 'not run') ||
    (neverWorked !== undefined && 'never worked') ||
    (internalError !== undefined && 'internal error') ||
    (over !== undefined && 'stopped early') ||
    'complete';
  const rank = status === 'complete' ? RANK.right : RANK.failure;
  return { status, rank, causes: [], isVector: true };
}

function mistakesOf({ causes }: RecordedAdapter): readonly string[] {
  return [...new Set(causes.map(({ mistake }) => mistake))];
}

export function hasRegressions({ adapters }: Comparison): boolean {
  return adapters.some(({ regressions }) => regressions.length > 0);
}
