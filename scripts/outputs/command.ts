/**
 * Runs command lines in this process and returns their output.
 *
 * @module
 */
import { Readable, Writable } from 'node:stream';
import { main } from '../../harness/cli/main.ts';

/**
 * The output of a command, with fixed port numbers so that it is the same in every run.
 *
 * @param line the words after the name of the program, separated by spaces
 * @param columns the width of a terminal with colours; without it, the output is plain
 */
export async function runCommand(line: string, columns?: number): Promise<string> {
  const { FORCE_COLOR: _, NO_COLOR: __, ...env } = process.env;
  const { stdout } = await runMain(line.split(' '), { env, ...(columns && { columns }) });
  return stdout.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4595');
}

interface Circumstances {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** The width of a terminal; standard output is a pipe without it. */
  readonly columns?: number;
}

interface Printed {
  readonly stdout: string;
  /** What goes to standard output and to standard error, in its order. */
  readonly both: string;
}

/** Standard error is no terminal, which would get progress, too. */
export async function runMain(
  argv: readonly string[],
  { env, stdin = '', columns }: Circumstances,
): Promise<Printed> {
  const printed = { stdout: '', both: '' };
  const createStream = (keep: (text: string) => void): Writable =>
    new Writable({
      write(piece: Buffer, _, done) {
        const text = piece.toString('utf8');
        printed.both += text;
        keep(text);
        done();
      },
    });
  const stdout = createStream((text) => {
    printed.stdout += text;
  });
  await main(argv, {
    stdout: columns === undefined ? stdout : Object.assign(stdout, { isTTY: true, columns }),
    stderr: createStream(() => {}),
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    env,
    onInterrupt: () => () => {},
    onUncaught: () => {},
  });
  return printed;
}
