/**
 * `run --watch`: runs again whenever a file changes, until an interrupt.
 *
 * @module
 */
import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { quote } from '../engine/excerpt.ts';
import { BUNDLE } from '../suite/bundle.ts';
import { IS_BINARY, packagePath } from '../suite/package-root.ts';
import type { Call } from './call.ts';
import { type Parsed, textOption, textsOption } from './verb.ts';
import { Watch, type Watched } from './watch/folders.ts';

/** What a run reads and writes. A command may use any file of the working directory. */
function watchedBy(given: Parsed): Watched {
  const folders = textsOption(given, 'adapter').filter((name) => /^\.|[/\\]/.test(name));
  const [module, vectors] = [textOption(given, 'module'), textOption(given, 'vectors')];
  const reports = textsOption(given, 'reporter').map((text) => text.slice(text.indexOf('=') + 1));
  const trees = ['.', ...folders, ...(vectors === undefined ? [] : [vectors])];
  if (module !== undefined) trees.push(dirname(module));
  const expectations = textOption(given, 'expectations');
  return {
    trees: trees.map((path) => resolve(path)),
    files: [
      ...(expectations === undefined ? [] : [resolve(expectations)]),
      ...(IS_BINARY || vectors !== undefined ? [] : [packagePath(BUNDLE)]),
    ],
    outputs: reports.map((path) => resolve(path)),
  };
}

/** Ends at an interrupt, with the exit code of the last run. */
export async function runOnChange(
  given: Parsed,
  call: Call,
  run: () => Promise<number>,
): Promise<number> {
  const watched = watchedBy(given);
  const interrupt = new AbortController();
  const ignore = call.onInterrupt(() => interrupt.abort());
  let written: ReadonlySet<string> = new Set();
  let start = run;
  try {
    for (;;) {
      const watch = new Watch(watched);
      try {
        call.clearScreen();
        const code = await start();
        if (interrupt.signal.aborted) return code;
        const during = await takeChanges(watch);
        const path = await nextChange(call, watch, interrupt.signal, during, written);
        if (path === undefined) return code;
        written = during;
        start = () => runAgain(call, path, run);
      } finally {
        watch.close();
      }
    }
  } finally {
    ignore();
  }
}

/** Without a repair of the file, the next run fails as well; the one after it may not. */
function runAgain(call: Call, changed: string, run: () => Promise<number>): Promise<number> {
  call.warn(`${quote(changed)} changed\n`);
  return run().catch((error) => call.abandon(error));
}

/** What changed during a run. The system reports the last changes in the turn after the next one at the latest. */
async function takeChanges(watch: Watch): Promise<ReadonlySet<string>> {
  await nextTurn();
  await nextTurn();
  return watch.take();
}

/** A file that changed in this run and in the one before is written by runs, so it starts none. */
function nextChange(
  call: Call,
  watch: Watch,
  signal: AbortSignal,
  during: ReadonlySet<string>,
  before: ReadonlySet<string>,
): Promise<string | undefined> | string {
  const changed = [...during].find((path) => !before.has(path));
  if (changed !== undefined) return changed;
  call.warn(`watching ${watch.count}; Ctrl-C ends\n`);
  return watch.next(signal);
}
