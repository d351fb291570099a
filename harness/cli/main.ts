/**
 * `svc-conformance` within a process: runs a verb and returns its exit code.
 *
 * @module
 */
import { hintNearest } from '../../reference/nearest.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { packageVersion } from '../suite/package-root.ts';
import { Call, type Io } from './call.ts';
import { explainForgottenDashes } from './forgotten-dashes.ts';
import { parseOptions, type Verb } from './verb.ts';
import { VERBS } from './verbs.ts';

/** Runs a command line and returns its exit code. Calls share no state, so several may run at the same time. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const call = new Call(io);
  const abandon = (error: unknown): number => call.abandon(error);
  io.onUncaught(abandon);
  return call.end(await runCommand(argv, call).catch(abandon));
}

async function runCommand(
  [name = '--help', ...parameters]: readonly string[],
  call: Call,
): Promise<number> {
  const dashes = parameters.indexOf('--');
  const beforeDashes = [name, ...(dashes < 0 ? parameters : parameters.slice(0, dashes))];
  if (name === 'help' || beforeDashes.includes('--help') || beforeDashes.includes('-h')) {
    call.print(await helpAbout(name === 'help' ? parameters[0] : name));
    return EXIT.asExpected;
  }
  if (name === '--version' || name === '-V') {
    call.print(`${packageVersion()}\n`);
    return EXIT.asExpected;
  }
  const verb = await loadVerb(name);
  refuseMissingFolder();
  try {
    return await verb.run(parseOptions(verb, parameters), call);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw (await explainForgottenDashes(name, verb, parameters)) ?? error;
  }
}

/** @throws UsageError that names the nearest verb for an unknown one */
async function loadVerb(name: string): Promise<Verb> {
  const load = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (load) return load();
  if (name.startsWith('-')) {
    throw new UsageError(
      `${JSON.stringify(name)} is neither --help (-h) nor --version (-V); options follow the verb, as in svc-conformance run --smoke`,
    );
  }
  const names = Object.keys(VERBS);
  const hint = hintNearest(name, [...names, 'help'], `the verbs are ${names.join(', ')}`);
  throw new UsageError(`${JSON.stringify(name)} is not a verb; ${hint}`);
}

/** The help of one verb or, without a name, the overview of all verbs. */
async function helpAbout(name: string | undefined): Promise<string> {
  const { overview, verbHelp } = await import('./help.ts');
  if (name !== undefined && name !== 'help' && !name.startsWith('-'))
    return verbHelp(await loadVerb(name));
  return overview(await Promise.all(Object.values(VERBS).map((each) => each())));
}

/** Relative paths cannot be resolved if the working directory was deleted. */
function refuseMissingFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new UsageError('the working directory was deleted; change to another one');
  }
}
