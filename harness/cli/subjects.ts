/**
 * Which adapters a run is about, and their start.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST, type RepositoryAdapter, repositoryAdapters } from '../adapter/manifest.ts';
import type { HelloReply } from '../adapter/messages.ts';
import { Pool } from '../adapter/pool.ts';
import { LIMITS, type Limits } from '../adapter/session.ts';
import type { Subject } from '../adapter/subject.ts';
import { wireNamed } from '../adapter/wires.ts';
import { dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../suite/select.ts';
import { commandOf } from './module.ts';
import { countOption, numberOption, type Parsed, textOption } from './verb.ts';

/** A subject that can run here, its adapter started. */
export interface Started extends Subject {
  readonly pool: Pool;
  readonly hello: Promise<HelloReply>;
}

export async function startedSubjects(
  subjects: readonly Subject[],
  given: Parsed,
): Promise<ReadonlyMap<Subject, Started>> {
  const limits = limitsOf(given);
  const jobs = jobsOf(given);
  const ready = subjects.filter(({ missing }) => missing === undefined);
  const spoken = await Promise.all(
    ready.map(async (subject) => {
      const [dialect, wire] = [dialectNamed(subject.dialect), await wireNamed(subject.wire)];
      return { subject, dialect, wire };
    }),
  );
  return new Map(
    spoken.map(({ subject, dialect, wire }) => {
      const pool = new Pool(subject.command, dialect, limits, jobs, wire, subject.folder);
      const hello = pool.start();
      // Whoever awaits it later sees the failure; until then nobody does.
      hello.catch(() => {});
      return [subject, { ...subject, pool, hello }];
    }),
  );
}

export async function subjectsOf(given: Parsed): Promise<readonly Subject[]> {
  const dialect = textOption(given, 'dialect');
  const names = [given.values['adapter'] ?? []].flat().map(String);
  const command = commandOf(given);
  if (command) return [commandSubject(given, command, names)];
  if (given.values['wire'] !== undefined)
    throw new UsageError(
      '--wire is about a command; an adapter of this repository or of a folder names its own',
    );
  const adapters = repositoryAdapters();
  for (const name of names) if (!isFolder(name)) refuseUnknown(name, adapters);
  const chosen =
    names.length === 0 ? adapters : adapters.filter(({ name }) => names.includes(name));
  const subject = (adapter: RepositoryAdapter, ownAdapter: boolean): Subject => ({
    ...adapter,
    ownAdapter,
    dialect: dialect ?? adapter.dialect,
  });
  const own = chosen.map((adapter) => subject(adapter, true));
  const folders = names.filter(isFolder);
  if (folders.length === 0) return own;
  const { folderAdapter } = await import('../adapter/folder.ts');
  return [
    ...own,
    ...folders.map((folder) => ({
      ...subject(folderAdapter(folder), false),
      folderGiven: folder,
    })),
  ];
}

function commandSubject(
  given: Parsed,
  command: readonly string[],
  names: readonly string[],
): Subject {
  if (command.length === 0)
    throw new UsageError('no command stands after --; write svc-conformance run -- COMMAND…');
  if (names.length > 0)
    throw new UsageError(
      '--adapter names one of the repository or a folder, -- COMMAND or --module another; give one of them',
    );
  const module = textOption(given, 'module');
  return {
    name: module ?? command.join(' '),
    command,
    dialect: textOption(given, 'dialect') ?? 'svc',
    wire: textOption(given, 'wire') ?? 'json',
    ownAdapter: false,
    ...(module !== undefined && { module }),
  };
}

/** A name of the repository has none of these. */
function isFolder(name: string): boolean {
  return name === '.' || name === '..' || /[/\\]/.test(name);
}

function refuseUnknown(name: string, adapters: readonly RepositoryAdapter[]): void {
  if (adapters.some((adapter) => adapter.name === name)) return;
  const all = adapters.map((adapter) => adapter.name);
  const near = nearest(name, all);
  const hint = existsSync(join(name, MANIFEST))
    ? `its folder is written ${JSON.stringify(`./${name}`)}`
    : near === undefined
      ? `there are ${all.join(', ')}`
      : `did you mean ${near}?`;
  throw new UsageError(`${JSON.stringify(name)} is no adapter of this repository; ${hint}`);
}

/** More processes of one adapter help on no machine, and may exhaust it. */
const MOST_JOBS = 256;

function jobsOf(given: Parsed): number {
  const jobs = given.values['jobs'] === undefined ? 1 : countOption(given, 'jobs');
  if (jobs <= MOST_JOBS) return jobs;
  throw new UsageError(
    `--jobs ${jobs} is more than ${MOST_JOBS} processes; write ${MOST_JOBS} or less`,
  );
}

function limitsOf(given: Parsed): Limits {
  return {
    start: 1000 * numberOption(given, 'start-timeout', LIMITS.start / 1000),
    question: 1000 * numberOption(given, 'timeout', LIMITS.question / 1000),
    total: 1000 * numberOption(given, 'time-limit', LIMITS.total / 1000),
    restarts: numberOption(given, 'restarts', LIMITS.restarts),
  };
}
