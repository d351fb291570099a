/**
 * The data of all pages.
 *
 * @module
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupByKey } from '../../harness/engine/group-by-key.ts';
import type { Rule, Suite, Vector } from '../../harness/engine/vector.ts';
import { BUNDLE, bundledSuite } from '../../harness/suite/bundle.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { generatedMistakes, MISTAKES, type Mistake } from '../../reference/mistakes/index.ts';
import { isList, parseJson } from '../../reference/values.ts';
import { type Catchers, findAllCatchers, isCatch } from './catches.ts';
import { createCodeIndex, createStepIndex, type FindCode } from './code.ts';
import { readSdks, type Sdk } from './sdks.ts';
import { readSymptoms, type Symptoms } from './symptoms.ts';

/** The generated mistakes of one step, or of several steps that change together. */
export interface Place {
  /** The part of their ids before the slash. */
  readonly id: string;
  readonly mistakes: readonly Mistake[];
}

export interface SiteData {
  readonly suite: Suite;
  /** The SHA-256 of the vectors, in hexadecimal. */
  readonly hash: string;
  readonly rule: (id: string) => Rule;
  readonly vector: (id: string) => Vector;
  readonly vectorsOf: (rule: string) => readonly Vector[];
  readonly mistakes: readonly Mistake[];
  readonly mistakesOf: (rule: string) => readonly Mistake[];
  readonly places: readonly Place[];
  readonly catchers: (mistake: string) => readonly string[];
  readonly caughtBy: (vector: string) => readonly string[];
  readonly sdks: readonly Sdk[];
  readonly findCode: FindCode;
  readonly findStepCode: FindCode;
  readonly symptoms: Symptoms;
}

export async function readSiteData(): Promise<SiteData> {
  const suite = bundledSuite();
  const catchers = await cacheCatchers(suite.vectors);
  const catches = invert(catchers);
  const rules = new Map(suite.rules.map((rule) => [rule.id, rule]));
  const vectors = new Map(suite.vectors.map((vector) => [vector.id, vector]));
  return {
    suite,
    hash: createHash('sha256')
      .update(readFileSync(packagePath(BUNDLE)))
      .digest('hex'),
    rule: (id) => found(rules.get(id), 'rule', id),
    vector: (id) => found(vectors.get(id), 'vector', id),
    vectorsOf: (rule) => suite.vectors.filter((vector) => vector.rules.includes(rule)),
    mistakes: MISTAKES,
    mistakesOf: (rule) => MISTAKES.filter((mistake) => mistake.rule === rule),
    places: listPlaces(),
    catchers: (mistake) => catchers.get(mistake) ?? [],
    caughtBy: (vector) => catches.get(vector) ?? [],
    sdks: readSdks(suite),
    findCode: createCodeIndex(suite.rules),
    findStepCode: createStepIndex(),
    symptoms: readSymptoms(MISTAKES),
  };
}

function found<T>(value: T | undefined, what: string, id: string): T {
  if (value === undefined) throw new Error(`there is no ${what} ${JSON.stringify(id)}`);
  return value;
}

function listPlaces(): readonly Place[] {
  const placed = generatedMistakes().map(
    (mistake) => [mistake.id.slice(0, mistake.id.indexOf('/')), mistake] as const,
  );
  return [...groupByKey(placed)].map(([id, mistakes]) => ({ id, mistakes }));
}

/** The ids of the mistakes that each vector catches. */
function invert(catchers: Catchers): ReadonlyMap<string, readonly string[]> {
  return groupByKey(
    [...catchers].flatMap(([mistake, vectors]) =>
      vectors.map((vector) => [vector, mistake] as const),
    ),
  );
}

/** Finds the mistakes that the vectors catch, and caches them until the vectors or the reference change. */
async function cacheCatchers(vectors: readonly Vector[]): Promise<Catchers> {
  const path = packagePath(join('node_modules/.cache/svc-conformance', `${hashInputs()}.json`));
  const cached = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined;
  if (isList(cached) && cached.every(isCatch)) return new Map(cached);
  const catchers = await findAllCatchers(vectors);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify([...catchers]));
  return catchers;
}

function hashInputs(): string {
  const hash = createHash('sha256').update(readFileSync(packagePath(BUNDLE)));
  for (const folder of ['dist/reference', 'dist/harness/engine']) {
    const names = readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => one.endsWith('.js')).sort()) {
      hash.update(readFileSync(packagePath(join(folder, name))));
    }
  }
  return hash.digest('hex');
}
