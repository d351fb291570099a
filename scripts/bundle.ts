/**
 * Writes the data that every run would otherwise compute: vectors, forged requests, and the steps of each answer.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { createPredictor } from '../harness/engine/diagnosis/reference-reply.ts';
import { DIALECT_NAMES, parseDialect } from '../harness/engine/dialects.ts';
import { toControlQuestion, toQuestion } from '../harness/engine/judge/outcome.ts';
import type { SuiteData } from '../harness/engine/suite-data.ts';
import { chooseForgeries, createForgeries } from '../harness/make/forgeries.ts';
import { translateVectors } from '../harness/make/rederive/rewording.ts';
import {
  BUNDLE,
  BUNDLED,
  BUNDLED_STEPS,
  bundledSuite,
  FORGERIES,
  questionKey,
} from '../harness/suite/bundle.ts';
import type { ForgeryFile, StepsFile } from '../harness/suite/package-data.ts';
import { packagePath } from '../harness/suite/package-root.ts';
import { readSuite } from '../harness/suite/suite-folder.ts';
import type { StepName } from '../reference/mistakes/index.ts';

/** @throws DataError with every problem of `vectors/` */
export function writeData(): void {
  writeVectors();
  writeForgeries();
  writeSteps();
}

function writeVectors(): void {
  writeFileSync(packagePath(BUNDLE), toAscii(JSON.stringify(readSuite(packagePath('vectors')))));
}

function toAscii(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function writeForgeries(): void {
  const dialect = parseDialect('svc');
  const all = bundledSuite().vectors.flatMap((vector) => createForgeries(vector, dialect));
  const chosen = chooseForgeries(all, dialect);
  const controls = new Map(chosen.map(({ control }) => [JSON.stringify(control), control]));
  const positions = [...controls.keys()];
  const file: ForgeryFile = {
    controls: [...controls.values()],
    forgeries: chosen.map(({ operation: _, keys: __, control, ...forgery }) => ({
      ...forgery,
      control: positions.indexOf(JSON.stringify(control)),
    })),
  };
  writeFileSync(packagePath(FORGERIES), JSON.stringify(file));
}

function writeSteps(): void {
  const steps: StepName[] = [];
  const sets: (readonly number[])[] = [];
  const positions = new Map<string, number>();
  const questions: Record<string, number> = {};
  // Delete the steps of the last build first, because they may be out of date.
  const data: SuiteData = { ...BUNDLED, findSteps: () => undefined };
  for (const name of DIALECT_NAMES) {
    const dialect = parseDialect(name);
    const predictor = createPredictor(dialect, data);
    const { vectors } = bundledSuite();
    for (const vector of name === 'svc' ? vectors : translateVectors(dialect, vectors)) {
      const asked = [toQuestion(vector), ...(vector.control ? [toControlQuestion(vector)] : [])];
      for (const question of asked) {
        const used = predictor.listSteps(question, []);
        for (const step of used) if (!steps.includes(step)) steps.push(step);
        const set = used.map((step) => steps.indexOf(step)).sort((a, b) => a - b);
        const key = JSON.stringify(set);
        const position = positions.get(key) ?? sets.push(set) - 1;
        positions.set(key, position);
        questions[questionKey(dialect, question)] = position;
      }
    }
  }
  const file: StepsFile = { steps, sets, questions };
  writeFileSync(packagePath(BUNDLED_STEPS), JSON.stringify(file));
}
