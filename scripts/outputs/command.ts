/**
 * Runs a command line in this process and returns its output.
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
  const stdout = new Kept();
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const { FORCE_COLOR: _, NO_COLOR: __, ...env } = process.env;
  await main(line.split(' '), {
    stdout: Object.assign(stdout, terminal),
    stderr: new Kept(),
    stdin: Readable.from([]),
    env,
    onInterrupt: () => () => {},
    onUncaught: () => {},
  });
  return stdout.text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4595');
}

class Kept extends Writable {
  text = '';

  override _write(piece: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += piece.toString('utf8');
    done();
  }
}
