/**
 * Mistakes that are made for some requests only: a default Content-Type on PUT and POST, a line that is there only beside a header.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import type { Question } from '../adapter/messages.ts';

/** A kind of requests. */
interface Condition {
  readonly id: string;
  /** Behind "only": `where the verb is PUT`. */
  readonly said: string;
  readonly holds: (question: Question) => boolean;
}

type Headers = readonly (readonly [name: string, value: string])[];

const headersOf = ({ input }: Question): Headers =>
  Array.isArray(input['headers']) ? (input['headers'] as Headers) : [];

const textOf = ({ input }: Question, name: string): string => {
  const text = input[name];
  return typeof text === 'string' ? text : '';
};

const verbOf = (question: Question): string => textOf(question, 'method').toUpperCase();

const namesOf = (question: Question): readonly string[] =>
  headersOf(question).map(([name]) => name.toLowerCase().trim());

const isPositional = (name: string): boolean =>
  ['content-md5', 'content-type', 'date'].includes(name);

const headerValue = (question: Question, name: string): string | undefined =>
  headersOf(question).find(([own]) => own.toLowerCase().trim() === name)?.[1];

/** A condition, and where it does not hold. */
const either = (
  id: string,
  said: string,
  otherwise: string,
  holds: Condition['holds'],
): readonly Condition[] => [
  { id, said, holds },
  { id: `not-${id}`, said: otherwise, holds: (question) => !holds(question) },
];

const verbs = (...all: readonly string[]): readonly Condition[] =>
  either(
    all.join('-or-').toLowerCase(),
    `where the verb is ${all.join(' or ')}`,
    `where the verb is not ${all.join(' or ')}`,
    (question) => all.includes(verbOf(question)),
  );

/** The plainest first: of several that fit alike, the first is named. */
const CONDITIONS: readonly Condition[] = [
  ...verbs('PUT', 'POST'),
  ...verbs('GET', 'HEAD'),
  ...['PUT', 'GET', 'POST', 'DELETE', 'HEAD'].flatMap((verb) => verbs(verb)),
  ...['Content-Type', 'Content-MD5', 'Date'].flatMap((name) =>
    either(name.toLowerCase(), `beside a header ${name}`, `where no ${name} is sent`, (question) =>
      Boolean(headerValue(question, name.toLowerCase())),
    ),
  ),
  ...either(
    'extra-headers',
    'beside further headers',
    'where no further header is sent',
    (question) => namesOf(question).some((name) => !isPositional(name)),
  ),
  ...either(
    'headers',
    'where headers are sent',
    'where no header is sent',
    (question) => namesOf(question).length > 0,
  ),
  ...either(
    'repeated-header',
    'where a header is repeated',
    'where no header is repeated',
    (question) => new Set(namesOf(question)).size < namesOf(question).length,
  ),
  ...either(
    'key',
    'where there is a key',
    'where the key is empty',
    (question) => textOf(question, 'key') !== '',
  ),
  ...either(
    'key-in-folder',
    'where the key has a slash',
    'where the key has no slash',
    (question) => textOf(question, 'key').includes('/'),
  ),
  ...either(
    'nested',
    'beside a list or an object',
    'where no parameter is a list or an object',
    ({ input }) => /"(?:list|object)"/.test(JSON.stringify(input['parameters'] ?? '')),
  ),
];

/** A mistake that is made where a condition holds. */
export interface Conditional extends Mistake {
  readonly bare: Mistake;
  readonly holds: (question: Question) => boolean;
}

export const isConditional = (mistake: Mistake): mistake is Conditional => 'holds' in mistake;

const known = new Map<Mistake, readonly Conditional[]>();

/** A mistake under each condition; the same ones each time. */
export function conditionals(bare: Mistake): readonly Conditional[] {
  const before = known.get(bare);
  if (before) return before;
  const { rule, fix, change, order } = bare;
  const made = CONDITIONS.map(({ id, said, holds }, at) => ({
    id: `${bare.id}@${id}`,
    rule,
    wrong: `${bare.wrong}, but only ${said}`,
    fix,
    change,
    order,
    cost: bare.cost + 1 + at / 100,
    bare,
    holds,
  }));
  known.set(bare, made);
  return made;
}
