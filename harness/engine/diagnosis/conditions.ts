/**
 * Mistakes that an implementation makes for some requests only, such as a default Content-Type on PUT and POST.
 *
 * @module
 */
import type { Mistake } from '../../../reference/mistakes/index.ts';
import type { HeaderList } from '../../../reference/signing/index.ts';
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

const readHeaderNames = (question: Question): readonly string[] =>
  readHeaders(question).map(([name]) => name.toLowerCase().trim());

const isPositional = (name: string): boolean =>
  ['content-md5', 'content-type', 'date'].includes(name);

const readHeaderValue = (question: Question, name: string): string | undefined =>
  readHeaders(question).find(([own]) => own.toLowerCase().trim() === name)?.[1];

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

/** The simplest conditions come first: of several that fit equally well, reports name the first. */
const CONDITIONS: readonly Condition[] = [
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

/** A mistake that an implementation makes only if a condition holds. */
export interface Conditional extends Mistake {
  readonly unconditional: Mistake;
  readonly holds: (question: Question) => boolean;
}

export const isConditional = (mistake: Mistake): mistake is Conditional => 'holds' in mistake;

const known = new Map<Mistake, readonly Conditional[]>();

/** Combines a mistake with each condition. Repeated calls return the same objects, because the predictor caches by identity. */
export function makeConditionals(bare: Mistake): readonly Conditional[] {
  const before = known.get(bare);
  if (before) return before;
  const { rule, fix, change, order } = bare;
  const made = CONDITIONS.map(({ id, phrase: said, holds }, at) => ({
    id: `${bare.id}@${id}`,
    rule,
    wrong: `${bare.wrong}, but only ${said}`,
    fix,
    change,
    order,
    cost: bare.cost + 1 + at / 100,
    unconditional: bare,
    holds,
  }));
  known.set(bare, made);
  return made;
}
