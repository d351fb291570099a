/**
 * Commands with the output that they have at the time of the build.
 *
 * @module
 */
import { type Html, html } from '../../reference/server/pages/html.ts';
import { runMain } from '../outputs/command.ts';
import { readStyles } from '../outputs/picture.ts';

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

/** The output of a command as a terminal shows it, below the command. */
export function showTerminal(command: string, output: string): Html {
  const pieces = readStyles(output).map(({ text, styles }) =>
    styles.length === 0 ? html`${text}` : html`<span class="${styles.join(' ')}">${text}</span>`,
  );
  return html`<pre class="terminal" tabindex="0"><span class="dim">$ </span>${command}\n${pieces}</pre>`;
}
