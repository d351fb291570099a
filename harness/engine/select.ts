/**
 * Selects vectors by ids, globs, rules, levels, operations and shards.
 *
 * @module
 */
import { findNearest, hintNearest } from '../../reference/nearest.ts';
import { OPERATIONS } from '../../reference/operations.ts';
import { UsageError } from './errors.ts';
import { LEVELS, type Rule, type Suite, type Vector } from './vector.ts';

export interface Selection {
  /** Ids, folders of ids or globs; an empty list selects all vectors. */
  readonly patterns: readonly string[];
  /** Ids, folders of ids or globs of vectors that are left out. */
  readonly exclude?: readonly string[];
  readonly rules: readonly string[];
  readonly levels: readonly string[];
  readonly operations: readonly string[];
  /** Selects only vectors of the smoke set. */
  readonly smoke: boolean;
  /** Also selects large vectors that no pattern names by their whole id. */
  readonly large?: boolean;
}

/** `*` matches within a segment, `**` matches anything, `?` matches one character; a folder matches everything below it. */
export function compileGlob(glob: string): RegExp {
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

/** Empty texts and paths, and characters that implementations often get wrong; braces and quotation marks are of the JSON. */
const PECULIAR = /"\\?":?|\/\?|\\[^"]|[^\w "./:=&?,\\{}[\]-]/g;

/** A callback policy is more difficult than the length of any vector without one: verifiers may refuse all policies. */
const OF_POLICY = 10_000;

/** How much an implementation can get wrong in a vector: its length, and thirty for each peculiarity. */
export function estimateDifficulty({ input, keys }: Vector): number {
  const text = JSON.stringify([input, keys]);
  const hasPolicy = (input.headers ?? []).some(
    ([name, value]) => /^authorization$/i.test(name) && value.split(':').length > 2,
  );
  return text.length + 30 * (text.match(PECULIAR)?.length ?? 0) + (hasPolicy ? OF_POLICY : 0);
}

/** The simplest correctly signed vector of each operation. */
export function selectSimplest(vectors: readonly Vector[]): readonly Vector[] {
  const simplest = new Map<string, readonly [vector: Vector, difficulty: number]>();
  for (const vector of vectors) {
    if (!vector.expect) continue;
    const difficulty = estimateDifficulty(vector);
    const [, least] = simplest.get(vector.operation) ?? [vector, Number.POSITIVE_INFINITY];
    if (difficulty < least) simplest.set(vector.operation, [vector, difficulty]);
  }
  return [...simplest.values()].map(([vector]) => vector);
}

/** The vectors that pass all filters. @throws UsageError if a filter matches nothing, or no vector passes all of them */
export function selectVectors(suite: Suite, selection: Selection): readonly Vector[] {
  const { patterns, rules, levels, operations } = selection;
  const createUnknown = (glob: string): UsageError => createUnknownVectorError(glob, suite);
  const ids = matchAll(patterns, suite.vectors, createUnknown);
  const excluded = matchAll(selection.exclude ?? [], suite.vectors, createUnknown);
  const ruleIds = matchRules(rules, suite.rules);
  requireKnown(operations, 'operation', Object.keys(OPERATIONS));
  requireKnown(levels, 'level', LEVELS);
  const smoke = selection.smoke ? requireSmokeSet(suite) : undefined;
  const matching = suite.vectors.filter(
    (vector) =>
      (patterns.length === 0 || ids.has(vector.id)) &&
      !excluded.has(vector.id) &&
      (rules.length === 0 || vector.rules.some((id) => ruleIds.has(id))) &&
      (levels.length === 0 || levels.includes(vector.level)) &&
      (operations.length === 0 || operations.includes(vector.operation)) &&
      (!smoke || smoke.has(vector.id)),
  );
  if (matching.length === 0) {
    throw new UsageError('no vector matches all filters; drop one, or see `svc-conformance list`');
  }
  const vectors = matching.filter(
    ({ id, large }) => !large || selection.large === true || patterns.includes(id),
  );
  if (vectors.length === 0) {
    throw new UsageError('only vectors with large files match; add --large, or write a whole id');
  }
  return vectors;
}

/** Whether some vectors of a suite are all that a run without filters asks. */
export function isWhole(vectors: readonly Vector[], suite: Suite): boolean {
  const ids = new Set(vectors.map(({ id }) => id));
  return suite.vectors.every(({ id, large }) => large || ids.has(id));
}

/**
 * The rules that pass all filters.
 *
 * @param filters lists of ids or globs; an empty list selects all rules
 * @throws UsageError if a filter matches nothing, or no rule passes all of them
 */
export function selectRules(
  { rules }: Suite,
  filters: readonly (readonly string[])[],
  levels: readonly string[],
): readonly Rule[] {
  requireKnown(levels, 'level', LEVELS);
  const given = filters.filter(({ length }) => length > 0).map((globs) => matchRules(globs, rules));
  const selected = rules.filter(
    ({ id, level }) =>
      given.every((ids) => ids.has(id)) && (levels.length === 0 || levels.includes(level)),
  );
  if (selected.length > 0) return selected;
  throw new UsageError(
    'no rule matches all filters; drop one, or see `svc-conformance list --rules`',
  );
}

function matchRules(globs: readonly string[], rules: readonly Rule[]): ReadonlySet<string> {
  return matchAll(globs, rules, (glob, all) => createNoMatchError('rule', glob, all));
}

function requireSmokeSet({ smoke }: Suite): ReadonlySet<string> {
  if (smoke) return new Set(smoke);
  throw new UsageError(
    'these vectors have no smoke set; write it with `svc-conformance vectors prove FOLDER --write-smoke`',
  );
}

/** The ids that globs match; throws the error that is created for a glob that matches none. */
function matchAll(
  globs: readonly string[],
  all: readonly { readonly id: string }[],
  createError: (glob: string, ids: readonly string[]) => UsageError,
): ReadonlySet<string> {
  const ids = all.map(({ id }) => id);
  const matches = globs.flatMap((glob) => {
    const regex = compileGlob(glob);
    const own = ids.filter((id) => regex.test(id));
    if (own.length === 0) throw createError(glob, ids);
    return own;
  });
  return new Set(matches);
}

function createUnknownVectorError(glob: string, { vectors, rules }: Suite): UsageError {
  if (rules.some(({ id }) => id === glob)) {
    return new UsageError(
      `${glob} is a rule; write --rule ${glob} for the vectors that test it, or see \`svc-conformance show ${glob}\``,
    );
  }
  const ids = vectors.map(({ id }) => id);
  return createNoMatchError('vector', glob, [...new Set(ids.flatMap(listFolders)), ...ids]);
}

function requireKnown(names: readonly string[], what: string, all: readonly string[]): void {
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw createNoMatchError(what, unknown, all);
}

/** @param all the candidates for the nearest one */
export function createNoMatchError(
  what: string,
  given: string,
  all: readonly string[],
): UsageError {
  const near = findNearest(given, all);
  const hint = near === undefined ? 'see `svc-conformance list`' : `the nearest is ${near}`;
  return new UsageError(`no ${what} matches ${JSON.stringify(given)}; ${hint}`);
}

/**
 * The entry of a table with a name.
 *
 * @param otherwise the hint if no name is similar
 * @throws UsageError with the problem and the nearest name
 */
export function entryNamed<T>(
  table: Readonly<Record<string, T>>,
  name: string,
  problem: string,
  otherwise?: string,
): T {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (entry !== undefined) return entry;
  throw new UsageError(`${problem}; ${hintNearest(name, Object.keys(table), otherwise)}`);
}

/** Fewer ids are listed one by one, because a glob would also match vectors that are added later. */
const FEWEST = 3;

/** Replaces the ids of each complete folder by one glob. */
export function collapseToGlobs(ids: readonly string[], all: readonly string[]): readonly string[] {
  const globs = new Set<string>();
  for (const id of ids) {
    const folder = listFolders(id).find((one) => isWholeFolder(one, ids, all));
    globs.add(folder === undefined ? id : `${folder}/**`);
  }
  return [...globs];
}

/** The folders of an id, the outermost first. */
function listFolders(id: string): readonly string[] {
  const parts = id.split('/');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

function isWholeFolder(folder: string, ids: readonly string[], all: readonly string[]): boolean {
  const below = all.filter((id) => id.startsWith(`${folder}/`));
  return below.length >= FEWEST && below.every((id) => ids.includes(id));
}

export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** More shards than this would have no vectors. */
const MOST_SHARDS = 256;

/** Parses `2/4`. @throws UsageError */
export function parseShard(text: string): Shard {
  const [, index, count] = /^([0-9]{1,3})\/([0-9]{1,3})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count) {
    throw new UsageError(
      `--shard ${JSON.stringify(text)} is not a shard; write --shard 1/4 for the first of four`,
    );
  }
  if (count > MOST_SHARDS) {
    throw new UsageError(`--shard ${text}: at most ${MOST_SHARDS} shards are possible`);
  }
  return { index, count };
}

export function formatShard({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** Whether a vector belongs to a shard. It depends on the id alone, so a new vector moves no other one. */
export function isInShard(id: string, { index, count }: Shard): boolean {
  return hashText(id) % count === index - 1;
}

/** FNV-1a over UTF-16 code units, then the final mix of MurmurHash3, because `%` reads the low bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
