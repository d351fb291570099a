#!/usr/bin/env node
/**
 * `svc-conformance`: finds the verb, and turns whatever ends it into one sentence and an exit code.
 *
 * @module
 */
import { runVerb } from './cli/run.ts';
import type { Verb } from './cli/verb.ts';
import { DataError, EXIT, UsageError } from './errors.ts';
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
    process.stdout.write(helpOf(name === 'help' ? (parameters[0] ?? '') : name));
    return EXIT.asExpected;
  }
  if (name === '--version') {
    process.stdout.write(`${packageVersion()}\n`);
    return EXIT.asExpected;
  }
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb) {
    const near = nearest(name, Object.keys(VERBS));
    throw new UsageError(
      `${JSON.stringify(name)} is not a verb; ${near === undefined ? `the verbs are ${Object.keys(VERBS).join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  return (await verb())(parameters);
}

/** What an error comes to: one sentence for those whose fault is known, everything for a fault of ours. */
function failed(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`svc-conformance: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof DataError) {
    const { count } = error;
    process.stderr.write(
      `${error.message}\n${count} ${count === 1 ? 'problem' : 'problems'} in the data\n`,
    );
    return EXIT.badData;
  }
  process.stderr.write(
    `svc-conformance: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return EXIT.aborted;
}

const ended = main(process.argv.slice(2));

// A reader that goes away early, such as `head`, is no failure of the run.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

ended.catch(failed).then((code) => {
  process.exitCode = code;
});
