/**
 * Mistakes that an implementation makes for some requests only, such as a default Content-Type on PUT and POST.
 *
 * A condition is one of a list, two of the list at once, or a limit for a size that the answers show.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import { utf8Bytes } from '../../../reference/signing/bytes.ts';
import type { HeaderList, ParameterValue } from '../../../reference/signing/index.ts';
import { isFunction, isRecordOf, parseJsonIfValid } from '../../../reference/values.ts';
import type { Question } from '../protocol.ts';
import type { Input } from '../vector.ts';

/** A kind of requests. */
interface Condition {
  readonly id: string;
  /** The clause after "but only": `if the verb is PUT`. */
  readonly phrase: string;
  readonly holds: (question: Question) => boolean;
}

const readHeaders = ({ input }: Question): HeaderList => input.headers ?? [];

const readText = ({ input }: Question, name: keyof Input): string => {
  const text = input[name];
  return typeof text === 'string' ? text : '';
};

const readVerb = (question: Question): string => readText(question, 'method').toUpperCase();

const bareName = (name: string): string => name.toLowerCase().trim();

const readHeaderNames = (question: Question): readonly string[] =>
  readHeaders(question).map(([name]) => bareName(name));

const isPositional = (name: string): boolean =>
  ['content-md5', 'content-type', 'date'].includes(name);

const readHeaderValue = (question: Question, name: string): string | undefined =>
  readHeaders(question).find(([own]) => bareName(own) === name)?.[1];

/** Evaluates the condition once for each question: a search compares every condition with every answer. */
function remember({ id, phrase, holds }: Condition): Condition {
  const answers = new WeakMap<Question, boolean>();
  return {
    id,
    phrase,
    holds(question) {
      const before = answers.get(question);
      if (before !== undefined) return before;
      const answer = holds(question);
      answers.set(question, answer);
      return answer;
    },
  };
}

/** A condition and its opposite. */
const withOpposite = (
  id: string,
  said: string,
  otherwise: string,
  holds: Condition['holds'],
): readonly Condition[] => [
  { id, phrase: said, holds },
  { id: `not-${id}`, phrase: otherwise, holds: (question) => !holds(question) },
];

const verbConditions = (...all: readonly string[]): readonly Condition[] =>
  withOpposite(
    all.join('-or-').toLowerCase(),
    `if the verb is ${all.join(' or ')}`,
    `if the verb is not ${all.join(' or ')}`,
    (question) => all.includes(readVerb(question)),
  );

/** The names and texts of parameters, those inside lists and objects included. */
function readParameterTexts(value: ParameterValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value === 'boolean') return [`${value}`];
  if ('number' in value) return [value.number];
  if ('list' in value) return value.list.flatMap(readParameterTexts);
  return value.object.flatMap(([name, inner]) => [name, ...readParameterTexts(inner)]);
}

/** The members of a JSON object, or nothing of another text. */
function readMembers(body: string): readonly (readonly [name: string, value: unknown])[] {
  const value = parseJsonIfValid(body);
  return isObject(value) ? Object.entries(value) : [];
}

const isObject = isRecordOf((_): _ is unknown => true);

/** The parameters that an action has or a verifier receives. */
function readNames({ input }: Question): readonly string[] {
  const { parameters = [], query = '', body = '' } = input;
  const received = [...new URLSearchParams(query).keys()];
  return [...parameters, ...readMembers(body)].map(([name]) => name).concat(received);
}

function readValues({ input }: Question): readonly string[] {
  const { parameters = [], query = '', body = '' } = input;
  return [
    ...parameters.flatMap(([, value]) => readParameterTexts(value)),
    ...new URLSearchParams(query).values(),
    ...readMembers(body).map(([, value]) => String(value)),
  ];
}

/** Groups of texts in the input, by what reports call one of them. */
const TEXTS: readonly (readonly [
  id: string,
  noun: string,
  read: (question: Question) => readonly string[],
])[] = [
  ['key', 'the key', (question) => [readText(question, 'key')]],
  ['bucket', 'the bucket name', (question) => [readText(question, 'bucket')]],
  ['name', 'the name of a parameter', readNames],
  ['value', 'the value of a parameter', readValues],
  [
    'parameter',
    'a name or value of the parameters',
    (question) => [...readNames(question), ...readValues(question)],
  ],
  [
    'extra-value',
    'the value of an extra header',
    (question) =>
      readHeaders(question).flatMap(([name, value]) =>
        isPositional(bareName(name)) ? [] : [value],
      ),
  ],
  [
    'positional-value',
    'the value of a positional header',
    (question) =>
      readHeaders(question).flatMap(([name, value]) =>
        isPositional(bareName(name)) ? [value] : [],
      ),
  ],
  ['text', 'the text', (question) => [readText(question, 'text')]],
  ['query', 'the query', (question) => [readText(question, 'query')]],
  ['url', 'the URL', (question) => [readText(question, 'url')]],
  ['private-key', 'the private key', ({ keys }) => [keys.privateKey]],
];

/** What a text has, by the clause after its noun. */
const PROPERTIES: readonly (readonly [id: string, clause: string, pattern: RegExp])[] = [
  ['space', 'has a space', / /],
  ['beyond-ascii', 'has a character beyond ASCII', /[^\0-\x7F]/],
  ['beyond-latin-1', 'has a character beyond Latin-1', /[^\0-\xFF]/],
  ['break', 'has a line break', /[\r\n]/],
  ['control', 'has a control character', /[\0-\x1F\x7F]/],
  ['upper-case', 'has an upper-case letter', /[A-Z]/],
  ['digit', 'has a digit', /[0-9]/],
  ['digits-only', 'has only digits', /^[0-9]+$/],
  ['empty', 'is empty', /^$/],
  ['plus', 'has a "+"', /\+/],
  ['percent', 'has a "%"', /%/],
  ['slash', 'has a "/"', /\//],
  ['equals', 'has a "="', /=/],
  ['ampersand', 'has a "&"', /&/],
  ['comma', 'has a comma', /,/],
  ['colon', 'has a colon', /:/],
  ['dot', 'has a dot', /\./],
  ['question', 'has a "?"', /\?/],
  ['hyphen', 'has a hyphen', /-/],
  ['underscore', 'has an underscore', /_/],
  ['quote', 'has a quote', /["']/],
];

type Property = readonly [id: string, clause: string, has: (text: string) => boolean];

const MORE_PROPERTIES: typeof PROPERTIES = [
  ['starting-digit', 'starts with a digit', /^[0-9]/],
  ['starting-lower', 'starts with a lower-case letter', /^[a-z]/],
  ['minus', 'starts with "-"', /^-/],
  ['letters-only', 'has only letters', /^[A-Za-z]+$/],
  ['one-character', 'has one character', /^.$/su],
  ['blanks-at-the-ends', 'starts or ends with a space', /^ | $/],
];
const NAMES = ['Action', 'PublicKey', 'Signature', 'Password', 'Region', 'Zone', 'ProjectId'];
const LENGTHS = [8, 16, 20, 32, 40, 64, 100, 127, 128, 255, 256, 512, 1000, 1023, 1024];

/** Properties of the text that a step changes. */
const OF_STEPS: readonly Property[] = [
  ...[...PROPERTIES, ...MORE_PROPERTIES].map(
    ([id, clause, pattern]): Property => [id, clause, (text) => pattern.test(text)],
  ),
  ...NAMES.map(
    (name): Property => [`named-${name.toLowerCase()}`, `is ${name}`, (text) => text === name],
  ),
  ...LENGTHS.map((length): Property => {
    const clause = `has more than ${length} characters`;
    return [`longer-than-${length}`, clause, (text) => text.length > length];
  }),
];

const TEXT_CONDITIONS: readonly Condition[] = TEXTS.flatMap(([id, noun, read]) =>
  PROPERTIES.flatMap(([property, clause, pattern]) => {
    const has = (question: Question): boolean => read(question).some((text) => pattern.test(text));
    return withOpposite(
      `${id}-${property}`,
      `if ${noun} ${clause}`,
      `unless ${noun} ${clause}`,
      has,
    );
  }),
);

function measureLongestList(value: ParameterValue): number {
  if (value === null || typeof value !== 'object' || 'number' in value) return 0;
  const inner = 'list' in value ? value.list : value.object.map(([, member]) => member);
  return Math.max('list' in value ? inner.length : 0, ...inner.map(measureLongestList));
}

type Size = readonly [
  id: string,
  noun: string,
  unit: string,
  measure: (question: Question) => number,
];

/** Sizes of an input. */
const SIZES: readonly Size[] = [
  ...TEXTS.map(([id, noun, read]) => {
    const measure = (question: Question): number =>
      Math.max(0, ...read(question).map((text) => utf8Bytes(text).length));
    return [`${id}-bytes`, noun, 'bytes', measure] as const;
  }),
  ['parameters', 'the request', 'parameters', ({ input }) => input.parameters?.length ?? 0],
  ['headers', 'the request', 'headers', (question) => readHeaders(question).length],
  [
    'items',
    'a list',
    'items',
    ({ input }) =>
      Math.max(0, ...(input.parameters ?? []).map(([, value]) => measureLongestList(value))),
  ],
];

/** The simplest conditions come first: of several that fit equally well, reports name the first. */
const PLAIN_CONDITIONS: readonly Condition[] = [
  ...verbConditions('PUT', 'POST'),
  ...verbConditions('GET', 'HEAD'),
  ...['PUT', 'GET', 'POST', 'DELETE', 'HEAD'].flatMap((verb) => verbConditions(verb)),
  ...['Content-Type', 'Content-MD5', 'Date'].flatMap((name) =>
    withOpposite(
      name.toLowerCase(),
      `if the header ${name} is sent`,
      `if the header ${name} is not sent`,
      (question) => Boolean(readHeaderValue(question, name.toLowerCase())),
    ),
  ),
  ...withOpposite(
    'extra-headers',
    'if a header other than Content-MD5, Content-Type and Date is sent',
    'if no header other than Content-MD5, Content-Type and Date is sent',
    (question) => readHeaderNames(question).some((name) => !isPositional(name)),
  ),
  ...withOpposite(
    'headers',
    'if any header is sent',
    'if no header is sent',
    (question) => readHeaderNames(question).length > 0,
  ),
  ...withOpposite(
    'repeated-header',
    'if a header is repeated',
    'if no header is repeated',
    (question) => new Set(readHeaderNames(question)).size < readHeaderNames(question).length,
  ),
  ...withOpposite(
    'key',
    'if the key is not empty',
    'if the key is empty',
    (question) => readText(question, 'key') !== '',
  ),
  ...withOpposite(
    'key-in-folder',
    'if the key has a slash',
    'if the key has no slash',
    (question) => readText(question, 'key').includes('/'),
  ),
  ...withOpposite(
    'nested',
    'if a parameter is a list or an object',
    'if no parameter is a list or an object',
    ({ input }) => /"(?:list|object)"/.test(JSON.stringify(input.parameters ?? '')),
  ),
];

const PLAIN = PLAIN_CONDITIONS.map(remember);
const ALL: readonly Condition[] = [...PLAIN, ...TEXT_CONDITIONS.map(remember)];

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

/** For each property of a text: the mistake, made only if the text that its step changes has the property, or lacks it. */
export function makeStepConditionals(bare: Mistake): readonly Fitted[] {
  const before = ofSteps.get(bare);
  if (before) return before;
  const made = OF_STEPS.flatMap(([id, clause, has], at) =>
    [true, false].flatMap((expected) => {
      const change = limitChange(bare.change, (text) => has(text) === expected);
      return change === undefined
        ? []
        : [
            {
              id: `${bare.id}@${expected ? '' : 'not-'}its-${id}`,
              rule: bare.rule,
              wrong: `${bare.wrong}, but only ${expected ? 'if' : 'unless'} it ${clause}`,
              fix: bare.fix,
              change,
              order: bare.order,
              cost: bare.cost + 1 + at / OF_STEPS.length,
              unconditional: bare,
            },
          ];
    }),
  );
  ofSteps.set(bare, made);
  return made;
}

/** The change of a single step, made only for some texts: the first argument, or else the result. */
function limitChange(
  change: Mistake['change'],
  isChanged: (text: string) => boolean,
): Mistake['change'] | undefined {
  const [[step, wrap] = [], ...others] = Object.entries(change);
  if (step === undefined || others.length > 0 || !isFunction(wrap)) return undefined;
  const limited =
    (right: unknown) =>
    (...given: readonly unknown[]) => {
      const wrong: unknown = wrap(right);
      if (!isFunction(right) || !isFunction(wrong)) return wrong;
      const [first] = given;
      const text: unknown = typeof first === 'string' ? first : right(...given);
      return typeof text === 'string' && isChanged(text) ? wrong(...given) : right(...given);
    };
  return { [step]: limited };
}

/** Whether so many answers tell more than the choice among the conditions of a step could find by chance. */
export const isTelling = (explained: number, contradicted: number): boolean =>
  countBits(explained, contradicted) > Math.log2(2 * OF_STEPS.length) + SPARE_BITS;

const known = new Map<Mistake, Map<string, Conditional>>();

/** The same object for the same condition, because the predictor caches by identity. */
function withCondition(bare: Mistake, condition: Condition, cost: number): Conditional {
  const own = known.get(bare) ?? new Map<string, Conditional>();
  known.set(bare, own);
  const before = own.get(condition.id);
  if (before) return before;
  const { rule, fix, change, order } = bare;
  const made: Conditional = {
    id: `${bare.id}@${condition.id}`,
    rule,
    wrong: `${bare.wrong}, but only ${condition.phrase}`,
    fix,
    change,
    order,
    cost: bare.cost + cost,
    unconditional: bare,
    holds: condition.holds,
  };
  own.set(condition.id, made);
  return made;
}

/** Combines a mistake with each condition that holds for a question. */
export const makeConditionals = (bare: Mistake, witness: Question): readonly Conditional[] =>
  ALL.flatMap((condition, at) =>
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
 * Those of the list first; then sizes and pairs of conditions, which must separate all answers.
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
  const known =
    spare > Math.log2(ALL.length) ? single : single.filter((one) => PLAIN.includes(one));
  const found = scoreConditions(bare, known.filter(isFree), effected, 1);
  if (found.length > 0 || spare <= Math.log2(SIZES.length)) return found;
  const sizes = SIZES.flatMap((size) => findLimits(size, explained, contradicted));
  const limited = scoreConditions(bare, sizes, effected, 2);
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
    const at = Math.max(0, ALL.indexOf(condition)) / ALL.length;
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

function combineConditions(conditions: readonly Condition[]): readonly Condition[] {
  return conditions.flatMap((one, i) =>
    conditions.slice(i + 1).map(
      (other): Condition => ({
        id: `${one.id}@${other.id}`,
        phrase: `${one.phrase}, and ${other.phrase}`,
        holds: (question) => one.holds(question) && other.holds(question),
      }),
    ),
  );
}

/** The limits of a size that separate the explained answers from the correct ones. */
function findLimits(
  [id, noun, unit, measure]: Size,
  explained: readonly Effected[],
  contradicted: readonly Effected[],
): readonly Condition[] {
  const measured = (list: readonly Effected[]): readonly number[] =>
    list.map(({ question }) => measure(question));
  const [wrong, right] = [measured(explained), measured(contradicted)];
  const [least, most] = [Math.min(...wrong), Math.max(...wrong)];
  const [below, above] = [Math.max(...right), Math.min(...right)];
  if (least > below) {
    return [
      {
        id: `${id}-from-${least}`,
        phrase: `if ${noun} has ${least} ${unit} or more (with ${below}, the answer is correct)`,
        holds: (question) => measure(question) >= least,
      },
    ];
  }
  if (most < above) {
    return [
      {
        id: `${id}-to-${most}`,
        phrase: `if ${noun} has ${most} ${unit} or fewer (with ${above}, the answer is correct)`,
        holds: (question) => measure(question) <= most,
      },
    ];
  }
  return [];
}
