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
import type { Dialect, Question } from '../engine/protocol.ts';
import type { PackedMistakes, SuiteData } from '../engine/suite-data.ts';
import type { Suite } from '../engine/vector.ts';
import { type ChangesFile, readPackageData } from './package-data.ts';
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
export const BUNDLED_STEPS = 'dist/steps.json';

/** Identifies a question by its contents: vectors on fresh data have the ids of the bundled vectors. */
export function questionKey(dialect: Dialect, { operation, keys, input }: Question): string {
  const text = JSON.stringify([Object.values(dialect), operation, keys, input]);
  return createHash('sha1').update(text).digest('base64').slice(0, 12);
}

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

/** The mistakes that change the correct answers to a few plain vectors of each operation. */
export const BUNDLED_CHANGES = 'dist/changes.json';

let changes: ChangesFile | undefined;

function findChanging(dialect: Dialect, question: Question): PackedMistakes | undefined {
  changes ??= readPackageData('changes', packagePath(BUNDLED_CHANGES));
  return changes.questions[questionKey(dialect, question)];
}

export const BUNDLED: SuiteData = {
  findSteps: bundledSteps,
  findChanging,
  vectors: () => bundledSuite().vectors,
};
