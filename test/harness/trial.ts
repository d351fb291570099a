/**
 * Runs the harness on a faulty adapter, and reads the report.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { someOf } from '../amount.ts';
import { programPath } from './program-path.ts';
import {
  type Ended,
  type Running,
  runProgram,
  svcConformance,
  unwrapped,
  wordsOf,
} from './svc-conformance.ts';

/** A suite of a few vectors, so that a test can state the outcome of each. */
const VECTORS = 'test/harness/vectors';

/** The result of a run. */
export interface Result {
  readonly code: number | null;
  /** The vectors that did not pass, each with its status. */
  readonly failures: Readonly<Record<string, string>>;
  /** The number of vectors with each status. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface Trial {
  readonly result: Result;
  /** Standard output, unchanged. */
  readonly stdout: string;
  /** The same on one line, so that it does not matter where it was wrapped. */
  readonly report: string;
  /** The lines that the program recorded for the test. */
  readonly record: readonly string[];
}

export const ALL_PASS: Result = { code: 0, failures: {}, counts: { pass: 12 } };

export const NEVER_WORKED: Result = { code: 4, failures: {}, counts: {} };

/** The result if only the question "poison" fails. */
export function poisoned(status: string): Result {
  const failures = { 'url-encode/words/poison': status };
  const counted = status === 'refused' ? 'wrongly refused' : status;
  return { code: 1, failures, counts: { pass: 11, [counted]: 1 } };
}

/** The forms that messages have on the wire. */
export const WIRES = ['json', 'tabs'] as const;

export type WireForm = (typeof WIRES)[number];

/** In `npm test`, only JSON: behaviour that does not depend on the form is tested in one form. */
export const SOME_WIRES: readonly WireForm[] = someOf(WIRES, 2);

/** What a test does during the run; `recorded` resolves when the program has recorded the line. */
type Meanwhile<Handle = Running> = (
  call: Handle,
  recorded: (line: string) => Promise<void>,
) => unknown;

/** How long a process may take to end; in milliseconds. */
const DYING = 600_000;

/** The command that starts one of the programs. */
export function program(name: string, ...parameters: readonly string[]): readonly string[] {
  return [process.execPath, programPath(`${name}.mjs`), ...parameters];
}

/** Runs an adapter on the small suite; `options` come later than the suite and may name another. */
export async function trial(
  command: readonly string[],
  options: readonly string[] = [],
  meanwhile?: Meanwhile,
  wire: WireForm = 'json',
): Promise<Trial> {
  // Without the option, the messages are JSON.
  const form = wire === 'json' ? [] : ['--wire', wire];
  return trialFrom(
    await watched(trialParameters(command, [...form, ...options]), meanwhile, { WIRE: wire }),
  );
}

/** The same with the program as a process, which can receive signals and lose its streams. */
export async function trialOfProgram(
  command: readonly string[],
  options: readonly string[],
  meanwhile: Meanwhile<ChildProcess>,
): Promise<Trial> {
  const environment = { WIRE: 'json' };
  return trialFrom(await watchedProgram(trialParameters(command, options), meanwhile, environment));
}

function trialParameters(
  command: readonly string[],
  options: readonly string[],
): readonly string[] {
  return ['run', '--all', '--vectors', VECTORS, ...options, '--', ...command];
}

function trialFrom({ code, stdout, record }: Watched): Trial {
  return { result: resultIn(code, stdout), stdout, report: unwrapped(stdout), record };
}

/** The same with programs whose messages have that form. */
export function trialIn(wire: WireForm): typeof trial {
  return (command, options, meanwhile) => trial(command, options, meanwhile, wire);
}

type Watched = Ended & Pick<Trial, 'record'>;

/** Runs the command line, and checks that it leaves no process, no file and no error message. */
export function watched(
  parameters: readonly string[],
  meanwhile: Meanwhile = () => {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Watched> {
  return watch(svcConformance, parameters, meanwhile, environment);
}

/** The same with `run`, the words of a line, and an adapter. */
export function watchedRun(line: string, command: readonly string[]): Promise<Watched> {
  return watched(['run', ...wordsOf(line), '--', ...command]);
}

/** The same with the program as a process. */
export function watchedProgram(
  parameters: readonly string[],
  meanwhile: Meanwhile<ChildProcess>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Watched> {
  return watch(runProgram, parameters, meanwhile, environment);
}

async function watch<Handle>(
  run: (
    parameters: readonly string[],
    circumstances: {
      readonly environment: Readonly<Record<string, string>>;
      readonly meanwhile: (handle: Handle) => void;
    },
  ) => Promise<Ended>,
  parameters: readonly string[],
  meanwhile: Meanwhile<Handle>,
  environment: Readonly<Record<string, string>>,
): Promise<Watched> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-trial-'));
  const path = join(folder, 'record');
  writeFileSync(path, '');
  const lines = (): readonly string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);
  let isOver = false;
  const recorded = async (line: string): Promise<void> => {
    while (!isOver && !lines().includes(line)) await wait(20);
  };
  try {
    const ended = await run(parameters, {
      environment: { ...environment, RECORD: path, TMPDIR: folder, TEMP: folder },
      meanwhile: (handle) => void meanwhile(handle, recorded),
    });
    const record = lines();
    const pids = record.filter((line) => /^[0-9]+$/.test(line)).map(Number);
    const left = await survivors(pids);
    const files = readdirSync(folder);
    expect({ left, files, stderr: ended.stderr }).toEqual({
      left: [],
      files: ['record'],
      stderr: '',
    });
    return { ...ended, record };
  } finally {
    isOver = true;
    rmSync(folder, { recursive: true });
  }
}

function resultIn(code: number | null, report: string): Result {
  const failures = [...report.matchAll(/^([A-Z-]+) (\S+\/\S+)$/gm)].map(
    ([, status = '', id = '']) => [id, status.toLowerCase()],
  );
  const counts = [...report.matchAll(/^ {2}must +(.*)$/gm)]
    .flatMap(([, line = '']) => line.split(' · '))
    .map((part) => [part.slice(part.indexOf(' ') + 1), Number.parseInt(part, 10)]);
  return { code, failures: Object.fromEntries(failures), counts: Object.fromEntries(counts) };
}

/** The processes that do not end in time; they are killed. */
export async function survivors(pids: readonly number[]): Promise<readonly number[]> {
  const deadline = Date.now() + DYING;
  while (pids.some(isRunning) && Date.now() < deadline) await wait(20);
  const left = pids.filter(isRunning);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** Whether the process has ended, but its parent has not waited for it, as can be in containers. */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/.*\)/s, ''));
  } catch {
    return false;
  }
}
