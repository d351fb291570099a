/**
 * Which adapters a run is about, and their start.
 *
 * @module
 */
import { type RepositoryAdapter, repositoryAdapters } from '../adapter/manifest.ts';
import type { HelloReply } from '../adapter/messages.ts';
import { Pool } from '../adapter/pool.ts';
import { LIMITS, type Limits } from '../adapter/session.ts';
import type { Subject } from '../adapter/subject.ts';
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

export function startedSubjects(
  subjects: readonly Subject[],
  given: Parsed,
): ReadonlyMap<Subject, Started> {
  const limits = limitsOf(given);
  const jobs = given.values['jobs'] === undefined ? 1 : countOption(given, 'jobs');
  const ready = subjects.filter(({ missing }) => missing === undefined);
  const dialects = ready.map((subject) => [subject, dialectNamed(subject.dialect)] as const);
  return new Map(
    dialects.map(([subject, dialect]) => {
      const pool = new Pool(subject.command, dialect, limits, jobs);
      const hello = pool.start();
      // Whoever awaits it later sees the failure; until then nobody does.
      hello.catch(() => {});
      return [subject, { ...subject, pool, hello }];
    }),
  );
}

export function subjectsOf(given: Parsed): readonly Subject[] {
  const dialect = textOption(given, 'dialect');
  const names = [given.values['adapter'] ?? []].flat();
  const command = commandOf(given);
  if (command) {
    if (command.length === 0)
      throw new UsageError('no command stands after --; write svc-conformance run -- COMMAND…');
    if (names.length > 0)
      throw new UsageError(
        '--adapter names one of the repository, -- COMMAND or --module another; give one of them',
      );
    const module = textOption(given, 'module');
    return [
      {
        name: module ?? command.join(' '),
        command,
        dialect: dialect ?? 'svc',
        ownAdapter: false,
        ...(module !== undefined && { module }),
      },
    ];
  }
  const adapters = repositoryAdapters();
  for (const name of names) {
    if (adapters.some((adapter) => adapter.name === name)) continue;
    const all = adapters.map((adapter) => adapter.name);
    const near = nearest(String(name), all);
    throw new UsageError(
      `${JSON.stringify(name)} is no adapter of this repository; ${near === undefined ? `there are ${all.join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  const chosen =
    names.length === 0 ? adapters : adapters.filter(({ name }) => names.includes(name));
  return chosen.map((adapter: RepositoryAdapter) => ({
    ...adapter,
    ownAdapter: true,
    dialect: dialect ?? adapter.dialect,
  }));
}

function limitsOf(given: Parsed): Limits {
  return {
    start: 1000 * numberOption(given, 'start-timeout', LIMITS.start / 1000),
    question: 1000 * numberOption(given, 'timeout', LIMITS.question / 1000),
    total: 1000 * numberOption(given, 'time-limit', LIMITS.total / 1000),
    restarts: numberOption(given, 'restarts', LIMITS.restarts),
  };
}
