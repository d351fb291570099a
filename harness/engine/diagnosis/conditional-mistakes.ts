/**
 * Mistakes that an implementation makes for some requests only, such as a default Content-Type on PUT and POST.
 *
 * A condition is one of a list, two of the list at once, or a set of verbs or a limit for a size that the answers show.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { isFunction } from '../../../reference/values.ts';
import { getOrInsert } from '../get-or-insert.ts';
import type { Question } from '../protocol.ts';
import {
  ALL,
  type Condition,
  findNameCondition,
  findVerbCondition,
  ifVerbs,
  listNameConditions,
  OF_NAMES,
  OF_STEPS,
  PLAIN,
  readVerb,
  SIZES,
  type Size,
} from './conditions.ts';

/** A mistake of some requests or texts only, chosen so that it fits the answers. */
interface Fitted extends Mistake {
  readonly unconditional: Mistake;
}

/** A mistake that an implementation makes only if a condition holds. */
export interface Conditional extends Fitted {
  readonly holds: (question: Question) => boolean;
}

/** The most mistakes that are tried with conditions. */
export const CONDITIONED = 6;

export const isFitted = (mistake: Mistake): mistake is Fitted => 'unconditional' in mistake;
export const isConditional = (mistake: Mistake): mistake is Conditional => 'holds' in mistake;

const ofSteps = new Map<Mistake, readonly Fitted[]>();

const OF_CALLS = [
  ...OF_NAMES.map((property) => [property, (_text: unknown, name: unknown) => name] as const),
  ...OF_STEPS.map((property) => [property, (text: unknown, _name: unknown) => text] as const),
];

/** For each property of a text: the mistake, made only if the text that its step changes, or the name of that text, has the property, or lacks it. */
export function makeStepConditionals(bare: Mistake): readonly Fitted[] {
  return getOrInsert(ofSteps, bare, () =>
    OF_CALLS.flatMap(([[id, clause, pattern], select], at) =>
      [true, false].flatMap((expected): readonly Fitted[] => {
        const change = limitChange(bare.change, (...texts) => {
          const text = select(...texts);
          return typeof text === 'string' && pattern.test(text) === expected;
        });
        if (!change) return [];
        const name = `${expected ? '' : 'not-'}its-${id}`;
        const phrase = `${expected ? 'if' : 'unless'} it ${clause}`;
        return [{ ...limitMistake(bare, name, phrase, 1 + at / OF_CALLS.length), change }];
      }),
    ),
  );
}

/** A mistake with the words for a condition. */
const limitMistake = (bare: Mistake, id: string, phrase: string, cost: number): Fitted => ({
  id: `${bare.id}@${id}`,
  rule: bare.rule,
  wrong: limitSentence(bare.wrong, phrase),
  fix: bare.fix,
  change: bare.change,
  steps: bare.steps,
  order: bare.order,
  cost: bare.cost + cost,
  unconditional: bare,
});

/** What is wrong, with the condition under which it is: "if …" or "unless …". */
function limitSentence(wrong: string, phrase: string): string {
  if (phrase.startsWith('unless ')) return `${wrong}, ${phrase}`;
  return `${wrong}, ${wrong.includes(', but ') ? 'and' : 'but'} only ${phrase}`;
}

/** The change of a single step, made only for some texts, the first argument or else the result, and names, the second argument. */
function limitChange(
  change: Mistake['change'],
  isChanged: (text: unknown, name: unknown) => boolean,
): Mistake['change'] | undefined {
  const [[step, wrap] = [], ...others] = Object.entries(change);
  if (step === undefined || others.length > 0 || !isFunction(wrap)) return undefined;
  const limited =
    (right: unknown) =>
    (...given: readonly unknown[]) => {
      const wrong: unknown = wrap(right);
      if (!isFunction(right) || !isFunction(wrong)) return wrong;
      const [first, second] = given;
      const text: unknown = typeof first === 'string' ? first : right(...given);
      return isChanged(text, second) ? wrong(...given) : right(...given);
    };
  return { [step]: limited };
}

/** Whether so many answers tell more than the choice among the conditions of a step could find by chance. */
export const isTelling = (explained: number, contradicted: number): boolean =>
  countBits(explained, contradicted) > Math.log2(2 * OF_CALLS.length) + SPARE_BITS;

const known = new Map<Mistake, Map<string, Conditional>>();

/** The same object for the same condition, because the predictor caches by identity. */
function withCondition(bare: Mistake, condition: Condition, cost: number): Conditional {
  const own = getOrInsert(known, bare, () => new Map<string, Conditional>());
  const { id, phrase, holds } = condition;
  return getOrInsert(own, id, () => ({ ...limitMistake(bare, id, phrase, cost), holds }));
}

/** Combines a mistake with each condition that holds for a question. */
export const makeConditionals = (bare: Mistake, witness: Question): readonly Conditional[] =>
  [...ALL, ...listNameConditions(witness)].flatMap((condition, at) =>
    condition.holds(witness) ? [withCondition(bare, condition, 1 + at / ALL.length)] : [],
  );

/** What a mistake does to the answer of a question. */
export interface Effected {
  readonly question: Question;
  /** 1 if it gives a wrong answer that nothing else explains, -1 if it loses a correct or explained one, 0 if it gives another wrong one. */
  readonly gain: -1 | 0 | 1;
  /** Whether the correct answer contradicts it. */
  readonly isContradiction: boolean;
}

/** How many bits a condition must save beyond those that its choice among others takes. */
const SPARE_BITS = 5;
/** The least number of answers that a conditional mistake reproduces. */
const LEAST = 3;

/**
 * The conditions under which a mistake explains wrong answers and contradicts no correct one, with the number of these answers.
 *
 * Those of the list first; then sets of verbs, sizes and pairs of conditions, which must separate all answers.
 */
export function fitConditions(
  bare: Mistake,
  effected: readonly Effected[],
  witness: Question,
): readonly Scored[] {
  const contradicted = effected.filter(({ isContradiction }) => isContradiction);
  if (contradicted.length === 0) return [];
  const explained = effected.filter(({ gain }) => gain === 1);
  const spare = countBits(explained.length, contradicted.length) - SPARE_BITS;
  const isFree = ({ holds }: Condition): boolean =>
    !contradicted.some(({ question }) => holds(question));
  const single = ALL.filter((one) => one.holds(witness));
  const listed =
    spare > Math.log2(ALL.length) ? single : single.filter((one) => PLAIN.includes(one));
  const known = [...listed, ...listNameConditions(witness)];
  const found = scoreConditions(bare, known.filter(isFree), effected, 1);
  const isWhole = found.some(([, score]) => score === explained.length);
  if (isWhole || spare <= Math.log2(SIZES.length)) return found;
  const sizes = SIZES.flatMap((size) => findLimits(size, explained, contradicted));
  const separating = [...findVerbs(explained, contradicted), ...sizes];
  const limited = [...found, ...scoreConditions(bare, separating, effected, 2)];
  if (limited.length > 0 || spare <= 2 * Math.log2(ALL.length)) return limited;
  const whole = single.filter(({ holds }) => explained.every(({ question }) => holds(question)));
  return scoreConditions(bare, combineConditions(whole).filter(isFree), effected, 3);
}

type Scored = readonly [mistake: Conditional, score: number];

/** The mistake under each of the conditions that leaves it enough answers to explain. */
const scoreConditions = (
  bare: Mistake,
  conditions: readonly Condition[],
  effected: readonly Effected[],
  cost: number,
): readonly Scored[] =>
  conditions.flatMap((condition): readonly Scored[] => {
    const held = effected.filter(({ question }) => condition.holds(question));
    const given = held.reduce((sum, { gain }) => sum + gain, 0);
    const open = held.filter(({ gain }) => gain === 0).length;
    const position = ALL.indexOf(condition);
    const at = position < 0 ? 1 : position / ALL.length;
    return given < LEAST ? [] : [[withCondition(bare, condition, cost + at), given - open / 4]];
  });

/** A mistake with the numbers of answers that it explains and contradicts. */
export interface Counted {
  readonly mistake: Mistake;
  readonly gained: number;
  readonly lost: number;
}

export const countEffects = (mistake: Mistake, effected: readonly Effected[]): Counted => ({
  mistake,
  gained: effected.filter(({ gain }) => gain === 1).length,
  lost: effected.filter(({ gain }) => gain === -1).length,
});

/** The mistake under each of the usual conditions. */
export const countLimited = (bare: Mistake, effected: readonly Effected[]): readonly Counted[] =>
  PLAIN.map((condition, at) =>
    countEffects(
      withCondition(bare, condition, 1 + at / ALL.length),
      effected.filter(({ question }) => condition.holds(question)),
    ),
  );

/** How much a separation of so many answers tells: the logarithm of the number of ways to choose `some` of them. */
function countBits(some: number, others: number): number {
  let bits = 0;
  for (let i = 1; i <= some; i++) bits += Math.log2((others + i) / i);
  return bits;
}

const combineConditions = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.flatMap((one, i) => conditions.slice(i + 1).map((other) => bothHold(one, other)));

const bothHold = (one: Condition, other: Condition): Condition => ({
  id: `${one.id}@${other.id}`,
  phrase: joinPhrases(one, other),
  holds: (question) => one.holds(question) && other.holds(question),
});

/** "if …" comes before "unless …". */
const joinPhrases = (...conditions: readonly Condition[]): string =>
  conditions
    .map(({ phrase }) => phrase)
    .sort((a, b) => Number(a.startsWith('unless ')) - Number(b.startsWith('unless ')))
    .join(', and ');

/** The set of verbs that separates the explained answers from the correct ones, as the verbs of the smaller group. */
function findVerbs(
  explained: readonly Effected[],
  contradicted: readonly Effected[],
): readonly Condition[] {
  const [wrong, right] = [explained, contradicted].map(
    (list) => new Set(list.map(({ question }) => readVerb(question))),
  );
  if (!wrong || !right || [...wrong].some((verb) => right.has(verb))) return [];
  const both = [ifVerbs([...wrong], true) ?? [], ifVerbs([...right], false) ?? []].flat();
  return (wrong.size <= right.size ? both : both.toReversed()).slice(0, 1);
}

/** The limits of a size that separate the explained answers from the correct ones. */
function findLimits(
  size: Size,
  explained: readonly Effected[],
  contradicted: readonly Effected[],
): readonly Condition[] {
  const [, , , measure] = size;
  const measured = (list: readonly Effected[]): readonly number[] =>
    list.map(({ question }) => measure(question));
  const [wrong, right] = [measured(explained), measured(contradicted)];
  const [least, most] = [Math.min(...wrong), Math.max(...wrong)];
  const [below, above] = [Math.max(...right), Math.min(...right)];
  if (least > below) return [addCounterexample(limitSize(size, 'from', least), below)];
  if (most < above) return [addCounterexample(limitSize(size, 'to', most), above)];
  return [];
}

const addCounterexample = (condition: Condition, size: number): Condition => ({
  ...condition,
  phrase: `${condition.phrase} (with ${size}, the answer is correct)`,
});

function limitSize([id, noun, unit, measure]: Size, end: 'from' | 'to', bound: number): Condition {
  const isLeast = end === 'from';
  return {
    id: `${id}-${end}-${bound}`,
    phrase: `if ${noun} has ${bound} ${unit} or ${isLeast ? 'more' : 'fewer'}`,
    holds: (question) => (isLeast ? measure(question) >= bound : measure(question) <= bound),
  };
}

/** A mistake with the conditions that a report names after its id; undefined for unknown conditions. */
export function restoreConditional(bare: Mistake, names: string): Mistake | undefined {
  const id = `${bare.id}@${names}`;
  const ofStep = makeStepConditionals(bare).find((one) => one.id === id);
  if (ofStep) return ofStep;
  const found = names.split('@').flatMap((name) => findCondition(name) ?? []);
  const [first, ...others] = found;
  const condition = first && others.reduce(bothHold, first);
  return condition?.id === names ? withCondition(bare, condition, found.length) : undefined;
}

const findCondition = (id: string): Condition | undefined =>
  ALL.find((one) => one.id === id) ??
  findVerbCondition(id) ??
  findLimit(id) ??
  findNameCondition(id);

function findLimit(id: string): Condition | undefined {
  const [, name, end, bound] = /^(.+)-(from|to)-(\d+)$/.exec(id) ?? [];
  const size = SIZES.find(([own]) => own === name);
  return size && limitSize(size, end === 'from' ? 'from' : 'to', Number(bound));
}
