/**
 * Runs a command line in this process and keeps what it prints.
 *
 * @module
 */
import { Readable, Writable } from 'node:stream';
import { main } from '../../harness/cli/main.ts';

/**
 * What a command prints, with the same text each time: ports are those of the documentation.
 *
 * @param line what follows the name of the program; words are separated by spaces
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
    onUncaught: () => () => {},
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
