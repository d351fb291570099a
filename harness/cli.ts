#!/usr/bin/env node
/**
 * `svc-conformance`: finds the verb, and turns whatever ends it into one sentence and an exit code.
 *
 * @module
 */
import { runVerb } from './cli/run.ts';
import type { Verb } from './cli/verb.ts';
import { DataError, EXIT, internalErrorText, UsageError } from './errors.ts';
import { endUnfinished, isOutputLost, print, warn, watchStreams } from './output.ts';
import { packageVersion } from './suite/package-root.ts';
import { nearest } from './suite/select.ts';

/** A run is to be instant, so what only the other verbs use is loaded when they are called for. */
const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  run: async () => runVerb,
  accept: async () => (await import('./cli/accept.ts')).acceptVerb,
  list: async () => (await import('./cli/list.ts')).listVerb,
  show: async () => (await import('./cli/show.ts')).showVerb,
  export: async () => (await import('./cli/export.ts')).exportVerb,
  check: async () => (await import('./cli/check.ts')).checkVerb,
  explain: async () => (await import('./cli/explain.ts')).explainVerb,
  serve: async () => (await import('./cli/serve.ts')).serveVerb,
  init: async () => (await import('./cli/init.ts')).initVerb,
  adapter: async () => (await import('./cli/adapter.ts')).adapterVerb,
  wire: async () => (await import('./cli/wire.ts')).wireVerb,
  probe: async () => (await import('./cli/probe.ts')).probeVerb,
  fuzz: async () => (await import('./cli/fuzz.ts')).fuzzVerb,
  results: async () => (await import('./cli/results.ts')).resultsVerb,
  vectors: async () => (await import('./cli/vectors.ts')).vectorsVerb,
};

async function main([name = '--help', ...parameters]: readonly string[]): Promise<number> {
  const dashes = parameters.indexOf('--');
  const own = [name, ...(dashes < 0 ? parameters : parameters.slice(0, dashes))];
  if (name === 'help' || own.includes('--help') || own.includes('-h')) {
    const { helpOf } = await import('./cli/help.ts');
    print(helpOf(name === 'help' ? (parameters[0] ?? '') : name));
    return EXIT.asExpected;
  }
  if (name === '--version') {
    print(`${packageVersion()}\n`);
    return EXIT.asExpected;
  }
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb) {
    const near = nearest(name, Object.keys(VERBS));
    throw new UsageError(
      `${JSON.stringify(name)} is not a verb; ${near === undefined ? `the verbs are ${Object.keys(VERBS).join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  refuseMissingFolder();
  return (await verb())(parameters);
}

/** Relative paths mean nothing where the working directory is gone. */
function refuseMissingFolder(): void {
  try {
    process.cwd();
  } catch {
    throw new UsageError('the working directory does not exist any more; change to one that does');
  }
}

/** What an error comes to: one sentence, and an exit code. */
function failed(error: unknown): number {
  if (error instanceof UsageError) {
    warn(`svc-conformance: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof DataError) {
    const { count } = error;
    warn(`${error.message}\n${count} ${count === 1 ? 'problem' : 'problems'} in the data\n`);
    return EXIT.badData;
  }
  warn(`svc-conformance: ${internalErrorText(error)}\n`);
  if (process.env['SVC_DEBUG'] && error instanceof Error) warn(`${error.stack}\n`);
  return EXIT.internalError;
}

/** The same where it leaves reports that are begun. */
function abandoned(error: unknown): number {
  const code = failed(error);
  endUnfinished(code);
  return code;
}

watchStreams();
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  // What was under way is in a state that is not known, so nothing goes on.
  process.on(event, (error) => process.exit(abandoned(error)));
}
process.on('exit', () => {
  if (isOutputLost()) process.exitCode = EXIT.internalError;
});

main(process.argv.slice(2))
  .catch(abandoned)
  .then((code) => {
    process.exitCode = code;
  });
