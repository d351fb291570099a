/**
 * The JSON files of this package, by what they describe.
 *
 * The build writes them, or tests hold them against their schemas. A check at every start would take longer than reading
 * them, so this module trusts their types.
 *
 * @module
 */
import type { StepName } from '../../reference/mistakes/index.ts';
import type { Forgery } from '../engine/judge/forgery.ts';
import type { CodeNames } from '../engine/proof/catalogue.ts';
import type { Question } from '../engine/protocol.ts';
import type { PackedEffects } from '../engine/suite-data.ts';
import type { Suite } from '../engine/vector.ts';
import { readPackageFile } from './package-root.ts';
import type { Beginning, Manifest } from './schema/shapes.ts';

/** Forged requests; requests that share a control refer to it by its position. */
export interface ForgeryFile {
  readonly controls: readonly Question[];
  readonly forgeries: readonly (Omit<Forgery, 'operation' | 'keys' | 'control'> & {
    readonly control: number;
  })[];
}

/** The names of steps, sets of their positions, and for each question the position of its set. */
export interface StepsFile {
  readonly steps: readonly StepName[];
  readonly sets: readonly (readonly number[])[];
  /** By the key of the question. */
  readonly questions: Readonly<Record<string, number>>;
}

/** The effects of single mistakes on the correct answers to some questions. */
export interface EffectsFile {
  /** By the key of the question. */
  readonly questions: Readonly<Record<string, PackedEffects>>;
}

/** By the id of a rule, what computes it. */
export type RuleCode = Readonly<Record<string, CodeNames>>;

interface PackageData {
  readonly suite: Suite;
  readonly forgeries: ForgeryFile;
  readonly steps: StepsFile;
  readonly effects: EffectsFile;
  readonly code: RuleCode;
  readonly adapter: Manifest;
  readonly kit: Beginning;
}

/**
 * @param path of a JSON file, which is compressed if the path ends in `.br`
 * @param encoding `latin1` for a file that is ASCII, which is read in half the time of UTF-8
 */
export function readPackageData<What extends keyof PackageData>(
  _what: What,
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
): PackageData[What] {
  const file = readPackageFile(path);
  // Loading `zlib` takes time, and most runs do not need it.
  const data = path.endsWith('.br')
    ? process.getBuiltinModule('node:zlib').brotliDecompressSync(file)
    : file;
  return JSON.parse(data.toString(encoding));
}
