/**
 * The adapters that a command line names, and their start.
 *
 * @module
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hintNearest } from '../../reference/nearest.ts';
import { parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import type { Respondent, Subject } from '../engine/respondent.ts';
import {
  isReference,
  LIMITS,
  type Limits,
  listRepositoryAdapters,
  MANIFEST,
  type RepositoryAdapter,
} from '../respondents/adapter/manifest.ts';
import type { LineListener } from '../respondents/adapter/session.ts';
import { Reference } from '../respondents/reference.ts';
import { commandOf } from './adapter-options.ts';
import type { Call } from './call.ts';
import { numberOption, type Parsed, textOption, textOrDefault, textsOption } from './verb.ts';

/** A subject whose toolchain is installed, with its respondent. */
export interface Started extends Subject {
  readonly respondent: Respondent;
}

/** Starts a respondent for each subject whose toolchain is installed. */
export async function startSubjects(
  subjects: readonly Subject[],
  given: Parsed,
  call: Call,
  onLine?: LineListener,
): Promise<ReadonlyMap<Subject, Started>> {
  const [limits, jobs] = [limitsOf(given), jobsOf(given)];
  const ready = subjects.filter(({ missing }) => missing === undefined);
  const created = await Promise.all(
    ready.map(async (subject) => {
      // The lines of one process are shown, not of several.
      const processes = jobs ?? (onLine ? 1 : subject.jobs);
      const respondent: Respondent = isReference(subject)
        ? new Reference(parseDialect(subject.dialect))
        : (call.io.inProcess?.(subject) ??
          (await createPool(subject, call.io.env, limits, processes, onLine)));
      return [subject, { ...subject, respondent }] as const;
    }),
  );
  // The run awaits the same promise and reports the failure.
  for (const [, { respondent }] of created) respondent.hello().catch(() => {});
  return new Map(created);
}

/** The processes of an adapter. The reference alone needs none, so the code for them is loaded only here. */
export async function createPool(
  { command, dialect, wire, folder }: Pick<Subject, 'command' | 'dialect' | 'wire' | 'folder'>,
  env: NodeJS.ProcessEnv,
  limits: Limits = LIMITS,
  jobs = 1,
  onLine?: LineListener,
): Promise<Respondent> {
  const words = parseDialect(dialect);
  const [{ Pool }, { loadWire }] = await Promise.all([
    import('../respondents/adapter/pool.ts'),
    import('../respondents/adapter/wire.ts'),
  ]);
  return new Pool(command, words, limits, jobs, await loadWire(wire), { folder, env, onLine });
}

export async function subjectsOf(given: Parsed): Promise<readonly Subject[]> {
  const dialect = textOption(given, 'dialect');
  const names = textsOption(given, 'adapter');
  const command = commandOf(given);
  if (command) return [commandSubject(given, command, names)];
  if (given.values['wire'] !== undefined)
    throw new UsageError(
      '--wire needs -- COMMAND; leave it out, because an adapter of this repository or of a folder names its own format',
    );
  const chosen = listRepositoryAdapters(names.length === 0 ? undefined : names);
  for (const name of names) if (!isFolder(name)) refuseUnknown(name, chosen);
  const subject = (adapter: RepositoryAdapter, isBundled: boolean): Subject => ({
    ...adapter,
    isBundled,
    dialect: dialect ?? adapter.dialect,
  });
  const own = chosen.map((adapter) => subject(adapter, true));
  const folders = names.filter(isFolder);
  if (folders.length === 0) return own;
  const { loadFolderAdapter } = await import('../respondents/adapter/build.ts');
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
    throw new UsageError('--adapter, -- COMMAND and --module cannot be combined; pass one of them');
  const module = textOption(given, 'module');
  return {
    name: module ?? command.join(' '),
    command,
    dialect: textOrDefault(given, 'dialect'),
    wire: textOrDefault(given, 'wire'),
    isBundled: false,
    ...(module !== undefined && { module }),
  };
}

/** The names of bundled adapters contain no slash. */
export function isFolder(name: string): boolean {
  return name === '.' || name === '..' || /[/\\]/.test(name);
}

function refuseUnknown(name: string, chosen: readonly RepositoryAdapter[]): void {
  if (chosen.some((adapter) => adapter.name === name)) return;
  const all = listRepositoryAdapters().map((adapter) => adapter.name);
  const hint = existsSync(join(name, MANIFEST))
    ? `write ${JSON.stringify(`./${name}`)} for the folder`
    : hintNearest(name, all);
  throw new UsageError(`${JSON.stringify(name)} is not an adapter of this repository; ${hint}`);
}

/** The largest number of processes of one adapter; more would only exhaust the machine. */
const MOST_JOBS = 256;

function jobsOf(given: Parsed): number | undefined {
  if (given.values['jobs'] === undefined) return undefined;
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
