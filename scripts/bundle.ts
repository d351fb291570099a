/**
 * Writes the data that every run would otherwise compute: vectors, forged requests, the steps of each answer, and the
 * effects of mistakes on some answers.
 *
 * @module
 */

import { writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { packEffects } from '../harness/engine/diagnosis/effects.ts';
import type { Predictor } from '../harness/engine/diagnosis/predictor.ts';
import { createPredictor } from '../harness/engine/diagnosis/reference-reply.ts';
import { DIALECT_NAMES, parseDialect } from '../harness/engine/dialects.ts';
import { toControlQuestion, toQuestion } from '../harness/engine/judge/outcome.ts';
import type { Question } from '../harness/engine/protocol.ts';
import type { SuiteData } from '../harness/engine/suite-data.ts';
import type { Vector } from '../harness/engine/vector.ts';
import { chooseForgeries, createForgeries } from '../harness/make/forgeries.ts';
import { translateVectors } from '../harness/make/rederive/rewording.ts';
import {
  BUNDLE,
  BUNDLED,
  BUNDLED_EFFECTS,
  BUNDLED_STEPS,
  bundledSuite,
  FORGERIES,
  questionKey,
  RULE_CODE,
} from '../harness/suite/bundle.ts';
import type { EffectsFile, ForgeryFile, StepsFile } from '../harness/suite/package-data.ts';
import { packagePath } from '../harness/suite/package-root.ts';
import { readSuite } from '../harness/suite/suite-folder.ts';
import { escapeUnit } from '../reference/escapes.ts';
import type { StepName } from '../reference/mistakes/index.ts';
import { isVerifier, OPERATIONS } from '../reference/operations.ts';
import { listRuleCode } from './site/code.ts';

/** @throws DataError with every problem of `vectors/` */
export function writeData(): void {
  writeVectors();
  writeRuleCode();
  writeForgeries();
  writeSteps();
  writeEffects();
}

function writeVectors(): void {
  writeFileSync(packagePath(BUNDLE), toAscii(JSON.stringify(readSuite(packagePath('vectors')))));
}

function writeRuleCode(): void {
  writeFileSync(packagePath(RULE_CODE), JSON.stringify(listRuleCode(bundledSuite().rules)));
}

function toAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, escapeUnit);
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
  const ofContents = new Map<string, readonly StepName[]>();
  // Delete the steps of the last build first, because they may be out of date.
  const data: SuiteData = { ...BUNDLED, findSteps: () => undefined };
  for (const name of DIALECT_NAMES) {
    const dialect = parseDialect(name);
    const predictor = createPredictor(dialect, data);
    const { vectors } = bundledSuite();
    for (const vector of name === 'svc' ? vectors : translateVectors(dialect, vectors)) {
      const asked = [toQuestion(vector), ...(vector.control ? [toControlQuestion(vector)] : [])];
      for (const question of asked) {
        const used = listSteps(question, predictor, ofContents);
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
  writeFileSync(packagePath(BUNDLED_STEPS), brotliCompressSync(JSON.stringify(file)));
}

/** The steps of an answer. Every dialect has the same ETags, and large contents take long, so theirs are listed once. */
function listSteps(
  question: Question,
  predictor: Predictor,
  ofContents: Map<string, readonly StepName[]>,
): readonly StepName[] {
  const { operation, input } = question;
  if (input.content === undefined) return predictor.listSteps(question, []);
  const name = JSON.stringify([operation, input.content]);
  const steps = ofContents.get(name) ?? predictor.listSteps(question, []);
  ofContents.set(name, steps);
  return steps;
}

/** The share of an operation's vectors that are shorter than each vector whose effects are computed. */
const PLAIN = [0.02, 0.2, 0.5, 0.8, 0.98];

function writeEffects(): void {
  const dialect = parseDialect('svc');
  const predictor = createPredictor(dialect, BUNDLED);
  const questions: EffectsFile['questions'] = Object.fromEntries(
    choosePlainVectors(predictor).map((vector) => {
      const question = toQuestion(vector);
      const effects = predictor.computeAllEffects(question, []);
      const steps = predictor.listSteps(question, []);
      const packed = packEffects(steps, effects, isVerifier(question.operation));
      return [questionKey(dialect, question), packed];
    }),
  );
  writeFileSync(packagePath(BUNDLED_EFFECTS), brotliCompressSync(JSON.stringify({ questions })));
}

/** Short vectors, which implementations with few mistakes answer correctly, and long ones, which show more mistakes. */
function choosePlainVectors(predictor: Predictor): readonly Vector[] {
  const lengthOf = ({ input }: Vector): number => JSON.stringify(input).length;
  const vectors = bundledSuite().vectors.filter(
    (vector) =>
      vector.level !== 'open' &&
      vector.expect !== undefined &&
      predictor.isLight(toQuestion(vector)),
  );
  return Object.keys(OPERATIONS).flatMap((name) => {
    const own = vectors
      .filter(({ operation }) => operation === name)
      .sort((a, b) => lengthOf(a) - lengthOf(b));
    const chosen = PLAIN.map((share) => own[Math.trunc(own.length * share)]);
    return [...new Set(chosen)].filter((vector) => vector !== undefined);
  });
}
