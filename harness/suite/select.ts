/**
 * Which vectors a command is about.
 *
 * @module
 */
import { UsageError } from '../errors.ts';
import { OPERATIONS } from './operations.ts';
import { LEVELS, type Suite, type Vector } from './vector.ts';

export interface Selection {
  /** Ids, folders of ids or globs over them; none selects all. */
  readonly patterns: readonly string[];
  readonly rules: readonly string[];
  readonly levels: readonly string[];
  readonly operations: readonly string[];
  /** Only vectors of the smoke set. */
  readonly smoke: boolean;
}

/** `*` is anything within a segment, `**` anything, `?` one character; a folder stands for all below it. */
export function globPattern(glob: string): RegExp {
  const source = glob
    .split(/(\*\*|\*|\?)/)
    .map((part) => {
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${source.replace(/\/$/, '')}(?:/.*)?$`);
}

/** The vectors that every given filter keeps; a filter that keeps none is a `UsageError`. */
export function selectedVectors(suite: Suite, selection: Selection): readonly Vector[] {
  const patterns = selection.patterns.map((pattern) => {
    const regex = globPattern(pattern);
    refuseIdle(
      suite.vectors.some(({ id }) => regex.test(id)),
      'vector',
      pattern,
      suite.vectors.map(({ id }) => id),
    );
    return regex;
  });
  const ruleIds = suite.rules.map(({ id }) => id);
  const rules = selection.rules.flatMap((pattern) => {
    const regex = globPattern(pattern);
    const ids = ruleIds.filter((id) => regex.test(id));
    refuseIdle(ids.length > 0, 'rule', pattern, ruleIds);
    return ids;
  });
  const operations = Object.keys(OPERATIONS);
  for (const name of selection.operations) {
    refuseIdle(operations.includes(name), 'operation', name, operations);
  }
  for (const name of selection.levels)
    refuseIdle(
      LEVELS.some((level) => level === name),
      'level',
      name,
      LEVELS,
    );

  const smoke = new Set(selection.smoke ? smokeSet(suite) : []);
  const vectors = suite.vectors.filter(
    (vector) =>
      (patterns.length === 0 || patterns.some((pattern) => pattern.test(vector.id))) &&
      (rules.length === 0 || vector.rules.some((id) => rules.includes(id))) &&
      (selection.levels.length === 0 || selection.levels.includes(vector.level)) &&
      (selection.operations.length === 0 || selection.operations.includes(vector.operation)) &&
      (!selection.smoke || smoke.has(vector.id)),
  );
  if (vectors.length === 0) {
    throw new UsageError(
      'no vector fits all of the filters; drop one, or see `svc-conformance list`',
    );
  }
  return vectors;
}

function smokeSet({ smoke }: Suite): readonly string[] {
  if (smoke) return smoke;
  throw new UsageError(
    'these vectors have no smoke set; write it with `svc-conformance vectors prove FOLDER --write-smoke`',
  );
}

function refuseIdle(found: boolean, what: string, given: string, all: readonly string[]): void {
  if (found) return;
  const near = nearest(given, all);
  const hint = near === undefined ? 'see `svc-conformance list`' : `the nearest is ${near}`;
  throw new UsageError(`no ${what} matches ${JSON.stringify(given)}; ${hint}`);
}

/** The text that shares the most letters, and pairs of letters, with the given one; nothing where none is near. */
export function nearest(given: string, all: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestScore = 0.45;
  for (const candidate of all) {
    const score = (shared(given, candidate, 1) + shared(given, candidate, 2)) / 2;
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** How much of two texts is the same, from 0 to 1, cut into pieces of a length. */
function shared(a: string, b: string, length: number): number {
  const pieces = (text: string): string[] =>
    Array.from({ length: Math.max(0, text.length - length + 1) }, (_, i) =>
      text.slice(i, i + length),
    );
  const [left, right] = [pieces(a), pieces(b)];
  const size = left.length + right.length;
  let common = 0;
  for (const piece of left) {
    const at = right.indexOf(piece);
    if (at < 0) continue;
    right.splice(at, 1);
    common += 1;
  }
  return (2 * common) / (size || 1);
}
