/**
 * `run --debug VECTOR`: the lines of the protocol about one vector, in both directions.
 *
 * @module
 */
import { textHider } from '../../reference/secret-keys.ts';
import { UsageError } from '../engine/errors.ts';
import type { Subject } from '../engine/respondent.ts';
import { createNoMatchError } from '../engine/select.ts';
import { isReference } from '../respondents/adapter/manifest.ts';
import type { LineListener } from '../respondents/adapter/session.ts';
import type { Call } from './call.ts';
import { suiteOf } from './selection.ts';
import { type Parsed, textOption } from './verb.ts';

/** Changes a command line with `--debug` so that the run asks only about that vector. */
export async function narrowToVector(given: Parsed): Promise<Parsed> {
  const id = textOption(given, 'debug');
  if (id === undefined) return given;
  const excess = ['fresh', 'seed', 'forged', 'shard', 'jobs'].find(
    (name) => given.values[name] !== undefined,
  );
  if (excess !== undefined || given.positionals.length > 0) {
    const what = excess === undefined ? 'other ids' : `--${excess}`;
    throw new UsageError(`--debug runs one vector with its original data; leave out ${what}`);
  }
  const ids = (await suiteOf(given)).vectors.map((vector) => vector.id);
  if (!ids.includes(id)) throw createNoMatchError('vector', id, ids);
  return { ...given, positionals: [id], values: { ...given.values, 'no-fresh': true } };
}

/** @throws UsageError unless there is one adapter, and it is a program */
export function checkDebuggable(given: Parsed, subjects: readonly Subject[]): void {
  if (given.values['debug'] === undefined) return;
  const [subject, ...others] = subjects;
  if (subject && !isReference(subject) && others.length === 0) return;
  const why =
    others.length > 0
      ? `there are ${subjects.length} adapters`
      : 'the reference answers without messages';
  throw new UsageError(
    `--debug shows the messages of one program, but ${why}; name one with --adapter or -- COMMAND`,
  );
}

/** Shows lines until it is stopped. */
export interface Debug {
  readonly onLine: LineListener;
  readonly stop: () => void;
}

export function startDebug(given: Parsed, call: Call): Debug | undefined {
  if (given.values['debug'] === undefined) return undefined;
  const mask = createMask(call.io.env);
  let isStopped = false;
  return {
    onLine(direction, text) {
      if (isStopped) return;
      for (const line of mask(text).replace(/\n$/, '').split('\n'))
        call.warn(`${ARROWS[direction]} ${line}\n`);
    },
    stop() {
      isStopped = true;
    },
  };
}

const ARROWS = { sent: '→', received: '←', note: ' ' } as const;

/** Names of variables that hold secrets. */
const SECRET = /key|secret|token|passw/i;

/** A shorter value may appear in a message by chance. */
const SHORTEST = 6;

/** Hides secrets from the environment. An adapter that signs with its own key would show it in its string to sign. */
function createMask(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    SECRET.test(name) && value.length >= SHORTEST ? [value] : [],
  );
  return textHider(secrets, '***');
}
