/**
 * The data that the build computes: vectors, forged requests, the steps that each answer uses, and the mistakes that change
 * some of them.
 *
 * Parsing the YAML files takes a quarter of a second, and signing the forged requests takes longer. Reading JSON takes milliseconds.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import type { StepName } from '../../reference/mistakes/index.ts';
import type { Forgery } from '../engine/judge/forgery.ts';
import type { CodeNames } from '../engine/proof/catalogue.ts';
import type { Dialect, Question } from '../engine/protocol.ts';
import type { PackedEffects, SuiteData } from '../engine/suite-data.ts';
import type { Suite } from '../engine/vector.ts';
import { type EffectsFile, readPackageData } from './package-data.ts';
import { packagePath } from './package-root.ts';

/** The build writes ASCII only, which is read in half the time of UTF-8. */
export const BUNDLE = 'dist/vectors.json';

let suite: Suite | undefined;

/** The suite that the package was built with, read once. */
export function bundledSuite(): Suite {
  suite ??= readPackageData('suite', packagePath(BUNDLE), 'latin1');
  return suite;
}

export const FORGERIES = 'dist/forgeries.json';

let forgeries: readonly Forgery[] | undefined;

/** The forged requests that the package was built with, read once. */
export function bundledForgeries(): readonly Forgery[] {
  forgeries ??= readForgeries();
  return forgeries;
}

function readForgeries(): readonly Forgery[] {
  const file = readPackageData('forgeries', packagePath(FORGERIES));
  return file.forgeries.flatMap(({ control: index, ...forgery }) => {
    const control = file.controls[index];
    if (!control) return [];
    return [{ ...forgery, operation: control.operation, keys: control.keys, control }];
  });
}

/** The steps that the correct answer to each bundled vector uses. A mistake in other steps does not change the answer, so the diagnosis computes nothing for it. */
export const BUNDLED_STEPS = 'dist/steps.json.br';

/** Identifies a question by its contents: vectors on fresh data have the ids of the bundled vectors. */
export function questionKey(dialect: Dialect, question: Question): string {
  const known = questionKeys.get(question);
  if (known?.dialect === dialect) return known.key;
  const { operation, keys, input } = question;
  const text = JSON.stringify([Object.values(dialect), operation, keys, input]);
  const key = createHash('sha1').update(text).digest('base64').slice(0, 12);
  questionKeys.set(question, { dialect, key });
  return key;
}

const questionKeys = new WeakMap<Question, { readonly dialect: Dialect; readonly key: string }>();

let stepsByQuestion: ReadonlyMap<string, ReadonlySet<StepName>> | undefined;

/** The steps that the correct answer to a question uses; undefined if no bundled vector has the question. */
export function bundledSteps(
  dialect: Dialect,
  question: Question,
): ReadonlySet<StepName> | undefined {
  stepsByQuestion ??= readSteps();
  return stepsByQuestion.get(questionKey(dialect, question));
}

function readSteps(): ReadonlyMap<string, ReadonlySet<StepName>> {
  const { steps, sets, questions } = readPackageData('steps', packagePath(BUNDLED_STEPS));
  const named = sets.map((set) => new Set(set.flatMap((at) => steps[at] ?? [])));
  const entries = Object.entries(questions).flatMap(([key, at]) => {
    const set = named[at];
    return set ? [[key, set] as const] : [];
  });
  return new Map(entries);
}

/** The names of the code that follows each rule. */
export const RULE_CODE = 'dist/code.json';

/** The names of the code that follows a rule. */
export function bundledCode(rule: string): CodeNames {
  return readPackageData('code', packagePath(RULE_CODE))[rule] ?? { steps: [], python: [] };
}

/** The effects of single mistakes on the correct answers to a few plain vectors of each operation. */
export const BUNDLED_EFFECTS = 'dist/effects.json.br';

let effects: EffectsFile | undefined;

function findEffects(dialect: Dialect, question: Question): PackedEffects | undefined {
  effects ??= readPackageData('effects', packagePath(BUNDLED_EFFECTS));
  return effects.questions[questionKey(dialect, question)];
}

export const BUNDLED: SuiteData = {
  findSteps: bundledSteps,
  findEffects,
  vectors: () => bundledSuite().vectors,
};
