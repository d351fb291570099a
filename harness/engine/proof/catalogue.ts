/**
 * The catalogue: the data about a vector, a rule or a mistake (schema/catalogue.schema.json).
 *
 * @module
 */
import {
  type Cause,
  generatedMistakes,
  isReworded,
  MISTAKES,
  type Mistake,
  registeredAs,
} from '../../../reference/mistakes/index.ts';
import { restoreConditional } from '../diagnosis/conditional-mistakes.ts';
import { findMistakeById, withoutCondition } from '../expectations/names.ts';
import { type Demonstration, demonstrateMistake } from '../insight/demonstration.ts';
import type { Expectation } from '../judge/outcome.ts';
import { findOtherCause, OTHER_CAUSES } from '../other-causes.ts';
import { compileGlob, createNoMatchError } from '../select.ts';
import type { Rule, Suite } from '../vector.ts';
import { computeProof, findCatchers } from './proof.ts';

/** The known failures of a published SDK. */
export interface SdkFailures {
  readonly sdk: string;
  readonly entries: readonly Expectation[];
}

/** A known failure of a published SDK that shows a mistake. */
export interface SdkFailure extends Pick<Expectation, 'reason' | 'issue'> {
  readonly sdk: string;
  readonly cause: string;
  /** The ids or globs in the file of expectations. */
  readonly vectors: readonly string[];
}

/** The names of the code that follows a rule. */
export interface CodeNames {
  /** The steps of the reference. */
  readonly steps: readonly string[];
  /** The functions of the kit for Python. */
  readonly python: readonly string[];
}

export interface RuleEntry extends CodeNames {
  readonly rule: Rule;
  /** The ids of the vectors that test it. */
  readonly vectors: readonly string[];
  /** The mistakes of the register that break it. */
  readonly mistakes: readonly Mistake[];
  /** The number of generated mistakes that break it. */
  readonly generated: number;
  readonly sdks: readonly SdkFailure[];
}

export interface MistakeEntry {
  readonly mistake: Mistake;
  readonly rule: Rule | undefined;
  readonly demonstration: Demonstration | undefined;
  /** The ids of the vectors that catch it. */
  readonly vectors: readonly string[];
  readonly sdks: readonly SdkFailure[];
}

export function createRuleEntry(
  rule: Rule,
  { vectors }: Suite,
  known: readonly SdkFailures[],
  code: CodeNames,
): RuleEntry {
  return {
    ...code,
    rule,
    vectors: vectors.filter(({ rules }) => rules.includes(rule.id)).map(({ id }) => id),
    mistakes: MISTAKES.filter((mistake) => mistake.rule === rule.id),
    generated: listGenerated().filter((mistake) => mistake.rule === rule.id).length,
    sdks: listSdkFailures(known, (cause) => findMistakeById(cause)?.rule === rule.id),
  };
}

export async function createMistakeEntry(
  mistake: Mistake,
  { rules, vectors }: Suite,
  known: readonly SdkFailures[],
): Promise<MistakeEntry> {
  const proof = await computeProof(vectors, [mistake]);
  const changed = proof.effects.get(mistake.id) ?? new Map();
  const caught = findCatchers(proof, mistake.id);
  // An open vector catches nothing, but it shows the change.
  const shown = caught.length > 0 ? caught : [...changed.keys()];
  return {
    mistake,
    rule: rules.find(({ id }) => id === mistake.rule),
    demonstration: demonstrateMistake(
      mistake,
      vectors.filter(({ id }) => shown.includes(id)),
    ),
    vectors: caught,
    sdks: listSdkFailures(known, (cause) => cause === mistake.id),
  };
}

function listSdkFailures(
  known: readonly SdkFailures[],
  isMeant: (cause: string) => boolean,
): readonly SdkFailure[] {
  return known.flatMap(({ sdk, entries }) =>
    entries.flatMap(({ causes = [], reason, issue, patterns }) =>
      causes.filter(isMeant).map((cause) => ({
        sdk,
        cause,
        reason,
        ...(issue !== undefined && { issue }),
        vectors: patterns.map(({ glob }) => glob),
      })),
    ),
  );
}

/**
 * The mistake with an id, and with the conditions that follow it. For a generated mistake that the register rewords, the mistake of the
 * register. Undefined for unknown conditions.
 */
export function findMistake(id: string): Mistake | undefined {
  const bare = withoutCondition(id);
  const found = findMistakeById(registeredAs(bare) ?? bare);
  return found && addConditions(found, id);
}

/** The cause with an id that changes no step, and with the conditions that follow it; undefined for unknown conditions. */
export function findCause(id: string): Cause | undefined {
  const found = findOtherCause(withoutCondition(id));
  return found && addConditions({ ...found, change: {}, steps: [], order: 0, cost: 1 }, id);
}

function addConditions(bare: Mistake, id: string): Mistake | undefined {
  const [, ...names] = id.split('@');
  return names.length === 0 ? bare : restoreConditional(bare, names.join('@'));
}

/**
 * The mistakes that ids or globs match; without patterns, the mistakes of the register.
 *
 * @throws UsageError if a pattern matches no mistake
 */
export function selectMistakes(globs: readonly string[]): readonly Mistake[] {
  if (globs.length === 0) return MISTAKES;
  const all = listMistakes();
  const selected = globs.flatMap((glob) => {
    const regex = compileGlob(glob);
    const own = all.filter(({ id }) => regex.test(id));
    const named = own.length > 0 ? own : [findMistake(glob) ?? []].flat();
    if (named.length > 0) return named;
    throw createNoMatchError('mistake', glob, namesOf(all));
  });
  return [...new Set(selected)];
}

function listMistakes(): readonly Mistake[] {
  return [...MISTAKES, ...listGenerated()];
}

/** The generated mistakes that the register does not reword. */
const listGenerated = (): readonly Mistake[] =>
  generatedMistakes().filter((mistake) => !isReworded(mistake));

function namesOf(all: readonly { readonly id: string }[]): readonly string[] {
  return all.map(({ id }) => id);
}

/** Every id that has an entry: of vectors, rules, mistakes and other causes. */
export function listIds({ vectors, rules }: Suite): readonly string[] {
  return [vectors, rules, listMistakes(), OTHER_CAUSES].flatMap(namesOf);
}
