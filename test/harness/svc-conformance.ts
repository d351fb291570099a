/**
 * The command line as people have it: compiled, as a process, with a guard against hangs.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const PROGRAM = fileURLToPath(new URL('../../dist/bin/svc-conformance.cjs', import.meta.url));

/** Whatever takes longer hangs, on the busiest machine; in milliseconds. */
const HARD_LIMIT = 600_000;

export interface Ended {
  /** Nothing where the hard limit ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Circumstances {
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it runs, if not in the package. */
  readonly folder?: string;
  /** Whatever takes longer hangs; in milliseconds. */
  readonly limit?: number;
  /** Is called while it runs, and may do something to it. */
  readonly meanwhile?: (cli: ChildProcess) => void;
}

/** Runs the command line. */
export function svcConformance(
  parameters: readonly string[],
  { environment = {}, folder = ROOT, limit = HARD_LIMIT, meanwhile }: Circumstances = {},
): Promise<Ended> {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const cli = spawn(process.execPath, [PROGRAM, ...parameters], {
    cwd: folder,
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limit,
    killSignal: 'SIGKILL',
  });
  const pieces: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  cli.stdout.setEncoding('utf8').on('data', (piece: string) => pieces.stdout.push(piece));
  cli.stderr.setEncoding('utf8').on('data', (piece: string) => pieces.stderr.push(piece));
  meanwhile?.(cli);
  return new Promise((resolve) => {
    cli.once('close', (code) =>
      resolve({ code, stdout: pieces.stdout.join(''), stderr: pieces.stderr.join('') }),
    );
  });
}

/** A wrapped text on one line. */
export function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
