/**
 * Joins the reports of all shards of a run into one.
 *
 * @module
 */
import { UsageError } from '../errors.ts';
import { formatShard, type Shard } from '../select.ts';
import type {
  AdapterLine,
  CauseLine,
  RecordedAdapter,
  RecordedReport,
  SmallestLine,
} from './lines.ts';

/** A report of a shard. */
interface Part extends RecordedReport {
  readonly shard: Shard;
}

/** @throws UsageError if a shard is missing or repeated, or if the reports belong to different runs */
export function joinShards(reports: readonly RecordedReport[]): RecordedReport {
  const parts = reports.map(toPart).sort((a, b) => a.shard.index - b.shard.index);
  const [first] = parts;
  if (!first) throw new UsageError('no report is named; pass the reports of all shards');
  for (const part of parts) refuseOtherRun(first, part);
  refuseRepeated(parts);
  refuseMissing(parts, first.shard.count);
  const { shard: _, ...header } = first.header;
  const vectors = parts.reduce((sum, part) => sum + part.header.vectors, 0);
  const adapters = header.adapters.map(({ name }) => joinAdapter(name, parts));
  return { name: first.name, header: { ...header, vectors }, adapters };
}

function toPart(report: RecordedReport): Part {
  const { name, header } = report;
  if (header.shard) return { ...report, shard: header.shard };
  throw new UsageError(
    `${JSON.stringify(name)} is the report of a whole run; pass reports that run --shard wrote`,
  );
}

/** The cause of other seeds that a user cannot see in the reports. */
const OTHER_ROUND =
  '; a failure ends the rounds of its shard early: repeat that round in all shards with --fresh SEED';

/** The values that all shards of a run share, with their names in messages. */
function sharedMembers({ header }: RecordedReport) {
  return [
    ['the version of the suite', header.suite],
    ['the selection', header.selection],
    ['the seed', header.seed ?? null, OTHER_ROUND],
    ['the number of shards', header.shard?.count],
    ['the adapters', header.adapters.map(({ name, dialect }) => [name, dialect])],
  ] as const;
}

function refuseOtherRun(first: Part, part: Part): void {
  const others = sharedMembers(part);
  for (const [i, [what, value, hint = '']] of sharedMembers(first).entries()) {
    const [own, other] = [value, others[i]?.[1]].map((one) => JSON.stringify(one));
    if (own !== other) {
      throw new UsageError(
        `the reports belong to different runs: ${what} is ${own} in ${JSON.stringify(first.name)} and ${other} in ${JSON.stringify(part.name)}${hint}`,
      );
    }
  }
}

function refuseRepeated(parts: readonly Part[]): void {
  for (const [i, { name, shard }] of parts.entries()) {
    const before = parts[i - 1];
    if (before?.shard.index !== shard.index) continue;
    throw new UsageError(
      `shard ${formatShard(shard)} is repeated: ${JSON.stringify(before.name)} and ${JSON.stringify(name)}; pass one of them`,
    );
  }
}

function refuseMissing(parts: readonly Part[], count: number): void {
  const indexes = new Set(parts.map(({ shard }) => shard.index));
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((i) => !indexes.has(i));
  if (missing.length === 0) return;
  const shards = missing.map((index) => formatShard({ index, count })).join(', ');
  const [noun, verb] = missing.length === 1 ? ['shard', 'is'] : ['shards', 'are'];
  throw new UsageError(
    `${noun} ${shards} of the run ${verb} missing; pass the reports of all shards`,
  );
}

function joinAdapter(name: string, parts: readonly Part[]): RecordedAdapter {
  const own = parts.map(({ shard, adapters }) => {
    const found = adapters.find(({ line }) => line.adapter === name);
    const line: AdapterLine = { type: 'adapter', adapter: name, over: 'the report has no lines' };
    const absent = { line, outcomes: [], forged: [], fresh: [], causes: [], unexplained: [] };
    return { shard, ...(found ?? absent) };
  });
  return {
    line: joinAdapterLines(name, own),
    outcomes: own.flatMap(({ outcomes }) => outcomes),
    forged: own.flatMap(({ forged }) => forged),
    fresh: own.flatMap(({ fresh }) => fresh),
    causes: joinCauses(own),
    unexplained: joinUnexplained(own),
  };
}

type Own = RecordedAdapter & { readonly shard: Shard };

function joinAdapterLines(name: string, own: readonly Own[]): AdapterLine {
  const lines = own.map(({ line }) => line);
  refuseOtherImplementation(lines);
  const notes = [...new Set(lines.flatMap((line) => line.notes ?? []))];
  const stale = [...new Set(lines.flatMap((line) => line.stale ?? []))];
  const forged = lines.reduce((sum, line) => sum + (line.forged ?? 0), 0);
  const banner = Math.max(...lines.map((line) => line.banner ?? 0));
  // Of several values of a member, the first counts.
  let joined: AdapterLine = { type: 'adapter', adapter: name };
  for (const line of lines) joined = { ...line, ...joined };
  const { notRun: _, neverWorked: __, over: ___, ...line } = joined;
  return {
    ...line,
    ...(notes.length > 0 && { notes }),
    ...(stale.length > 0 && { stale }),
    ...(forged > 0 && { forged }),
    ...(banner > 0 && { banner }),
    ...joinStops(own),
  };
}

/** If only some shards worked, the whole run stopped early. */
function joinStops(own: readonly Own[]): Partial<AdapterLine> {
  const { notRun, neverWorked } = own[0]?.line ?? {};
  if (notRun !== undefined && own.every(({ line }) => line.notRun !== undefined)) return { notRun };
  if (neverWorked !== undefined && own.every(({ line }) => line.neverWorked !== undefined)) {
    return { neverWorked };
  }
  const stops = own.flatMap(({ shard, line }) => {
    const why = line.over ?? line.neverWorked ?? line.notRun;
    return why === undefined ? [] : [`shard ${formatShard(shard)}: ${why}`];
  });
  return stops.length === 0 ? {} : { over: stops.join('; ') };
}

function refuseOtherImplementation(lines: readonly AdapterLine[]): void {
  const versions = lines.flatMap(({ implementation }) =>
    implementation ? [`${implementation.name} ${implementation.version}`] : [],
  );
  const other = versions.find((version) => version !== versions[0]);
  if (other === undefined) return;
  throw new UsageError(
    `the reports belong to different implementations: ${JSON.stringify(versions[0])} and ${JSON.stringify(other)}`,
  );
}

const CERTAINTY: readonly CauseLine['confidence'][] = ['exact', 'one of', 'nearest'];

/** Joins the causes that several shards found. If one shard is certain of a cause, the joined cause is certain. */
function joinCauses(own: readonly RecordedAdapter[]): readonly CauseLine[] {
  const lines = own
    .flatMap(({ causes }) => causes)
    .sort((a, b) => CERTAINTY.indexOf(a.confidence) - CERTAINTY.indexOf(b.confidence));
  const operations = new Map(
    own.flatMap(({ outcomes }) => outcomes.map(({ id, operation }) => [id, operation] as const)),
  );
  const joined: CauseLine[] = [];
  for (const line of lines) {
    const at = joined.findIndex(
      (known) =>
        known.mistake === line.mistake ||
        (line.confidence === 'one of' && sharedNames(known, line).length > 0),
    );
    const known = joined[at];
    if (known) joined[at] = joinCause(known, line, operations);
    else joined.push(line);
  }
  return joined.sort((a, b) => b.ids.length - a.ids.length);
}

function sharedNames(a: CauseLine, b: CauseLine): readonly string[] {
  const names = [b.mistake, ...b.others];
  return [a.mistake, ...a.others].filter((name) => names.includes(name));
}

function joinCause(
  known: CauseLine,
  line: CauseLine,
  operations: ReadonlyMap<string, string>,
): CauseLine {
  const others = known.others.filter((name) => sharedNames(known, line).includes(name));
  const isExact = known.confidence === 'one of' && others.length === 0;
  const within = joinScopes(known, line, operations);
  const { differing } = known;
  return {
    ...known,
    ...(isExact && { confidence: 'exact' }),
    others,
    ...(within && { within }),
    ...(differing &&
      line.differing && {
        differing: [differing[0] + line.differing[0], differing[1] + line.differing[1]] as const,
      }),
    ids: [...new Set([...known.ids, ...line.ids])],
  };
}

/** The operations with a mistake. If a shard names no operations, those of its failures. */
function joinScopes(
  a: CauseLine,
  b: CauseLine,
  operations: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  if (!a.within && !b.within) return undefined;
  const scope = ({ within, ids }: CauseLine): readonly string[] =>
    within ?? ids.flatMap((id) => operations.get(id) ?? []);
  return [...new Set([...scope(a), ...scope(b)])];
}

function joinUnexplained(own: readonly RecordedAdapter[]): RecordedAdapter['unexplained'] {
  const lines = own.flatMap(({ unexplained }) => unexplained);
  const [first] = lines;
  if (!first) return [];
  const smallest = new Map<string, SmallestLine>();
  for (const one of lines.flatMap((line) => line.smallest)) {
    const known = smallest.get(one.operation);
    if (!known || sizeOf(one) < sizeOf(known)) smallest.set(one.operation, one);
  }
  return [{ ...first, ids: lines.flatMap(({ ids }) => ids), smallest: [...smallest.values()] }];
}

function sizeOf({ input }: SmallestLine): number {
  return JSON.stringify(input).length;
}
