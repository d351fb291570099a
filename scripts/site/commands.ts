/**
 * Commands with the output that they have at the time of the build.
 *
 * @module
 */
import { type Html, html } from '../../reference/server/pages/html.ts';
import { runMain } from '../outputs/command.ts';

/** The width of the terminal of all commands. */
const COLUMNS = 88;

/** Runs the command line in this process and returns what it prints, with the colours of a terminal. */
export async function runCommand(
  argv: readonly string[],
  stdin = '',
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { both } = await runMain(argv, {
    env: { PATH: process.env['PATH'], FORCE_COLOR: '1', ...environment },
    stdin,
    columns: COLUMNS,
  });
  return both;
}

const STYLES: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '36': 'cyan',
};

/** The output of a command as a terminal shows it, below the command. */
export function showTerminal(command: string, output: string): Html {
  const styles: string[] = [];
  const pieces = output.split(/(\x1b\[[0-9;]*m)/).map((piece): Html => {
    const code = /^\x1b\[([0-9;]*)m$/.exec(piece)?.[1];
    if (code === undefined) {
      return styles.length === 0 || piece === ''
        ? html`${piece}`
        : html`<span class="${styles.join(' ')}">${piece}</span>`;
    }
    const style = STYLES[code];
    if (style === undefined) styles.length = 0;
    else styles.push(style);
    return html``;
  });
  return html`<pre class="terminal" tabindex="0"><span class="dim">$ </span>${command}\n${pieces}</pre>`;
}
