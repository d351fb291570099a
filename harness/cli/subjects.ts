/**
 * The adapters that a command line names, and their start.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import type { Respondent } from '../engine/respondent.ts';
import { findNearest } from '../engine/select.ts';
import type { Subject } from '../engine/subject.ts';
import {
  listRepositoryAdapters,
  MANIFEST,
  REFERENCE,
  type RepositoryAdapter,
} from '../respondents/adapter/manifest.ts';
import { Pool } from '../respondents/adapter/pool.ts';
import type { Limits } from '../respondents/adapter/session.ts';
import { loadWire } from '../respondents/adapter/wire.ts';
import { Reference } from '../respondents/reference.ts';
import { commandOf } from './module.ts';
import { numberOption, type Parsed, textOption, textsOption } from './verb.ts';

/** A subject that can run here, with its respondent. */
export interface Started extends Subject {
  readonly respondent: Respondent;
}

/** Starts a respondent for each subject that can run here. */
export async function startSubjects(
  subjects: readonly Subject[],
  given: Parsed,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<Subject, Started>> {
  const limits = limitsOf(given);
  const jobs = jobsOf(given);
  const ready = subjects.filter(({ missing }) => missing === undefined);
  const spoken = await Promise.all(
    ready.map(async (subject) => {
      const [dialect, wire] = [parseDialect(subject.dialect), await loadWire(subject.wire)];
      return { subject, dialect, wire };
    }),
  );
  return new Map(
    spoken.map(({ subject, dialect, wire }) => {
      const isReference = subject.ownAdapter && subject.name === REFERENCE;
      const respondent: Respondent = isReference
        ? new Reference(dialect)
        : new Pool(subject.command, dialect, limits, jobs, wire, { folder: subject.folder, env });
      // The run awaits it, and sees the failure.
      respondent.hello().catch(() => {});
      return [subject, { ...subject, respondent }];
    }),
  );
}

export async function subjectsOf(given: Parsed): Promise<readonly Subject[]> {
  const dialect = textOption(given, 'dialect');
  const names = textsOption(given, 'adapter');
  const command = commandOf(given);
  if (command) return [commandSubject(given, command, names)];
  if (given.values['wire'] !== undefined)
    throw new UsageError(
      '--wire is about a command; an adapter of this repository or of a folder names its own',
    );
  const adapters = listRepositoryAdapters();
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
  const { loadFolderAdapter } = await import('../respondents/adapter/folder.ts');
  return [
    ...own,
    ...folders.map((folder) => ({
      ...subject(loadFolderAdapter(folder), false),
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
    throw new UsageError('no command follows --; write svc-conformance run -- COMMAND…');
  if (names.length > 0)
    throw new UsageError(
      '--adapter, -- COMMAND and --module each name an adapter; give one of them',
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

/** The names of bundled adapters contain no slash. */
function isFolder(name: string): boolean {
  return name === '.' || name === '..' || /[/\\]/.test(name);
}

function refuseUnknown(name: string, adapters: readonly RepositoryAdapter[]): void {
  if (adapters.some((adapter) => adapter.name === name)) return;
  const all = adapters.map((adapter) => adapter.name);
  const near = findNearest(name, all);
  const hint = existsSync(join(name, MANIFEST))
    ? `its folder is written ${JSON.stringify(`./${name}`)}`
    : near === undefined
      ? `there are ${all.join(', ')}`
      : `did you mean ${near}?`;
  throw new UsageError(`${JSON.stringify(name)} is not an adapter of this repository; ${hint}`);
}

/** More processes of one adapter only exhaust the machine. */
const MOST_JOBS = 256;

function jobsOf(given: Parsed): number {
  const jobs = numberOption(given, 'jobs');
  if (jobs <= MOST_JOBS) return jobs;
  throw new UsageError(
    `--jobs ${jobs} is more than ${MOST_JOBS} processes; write ${MOST_JOBS} or less`,
  );
}

function limitsOf(given: Parsed): Limits {
  return {
    start: 1000 * numberOption(given, 'start-timeout'),
    question: 1000 * numberOption(given, 'timeout'),
    total: 1000 * numberOption(given, 'time-limit'),
    restarts: numberOption(given, 'restarts'),
  };
}
