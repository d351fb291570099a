/**
 * The dialects that a run can use.
 *
 * @module
 */

import { SVC, UCLOUD } from '../../reference/signing/index.ts';
import { UsageError } from './errors.ts';
import type { Dialect } from './protocol.ts';

const DIALECTS: Readonly<Record<string, Dialect>> = { svc: SVC, ucloud: UCLOUD };

/** The names that `parseDialect` accepts. */
export const DIALECT_NAMES: readonly string[] = Object.keys(DIALECTS);

/** The id of a cause: the answers are correct in another dialect. It changes no step, so it is not in the register of mistakes. */
export const WRONG_DIALECT = 'wrong-dialect';

const TOKEN = /^[A-Za-z0-9-]+$/;

/** Parses the name of a known dialect, or three words separated by commas. */
export function parseDialect(name: string): Dialect {
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect) return dialect;
  const words = name.split(',');
  const [scheme = '', headerPrefix = '', publicKeyParameter = ''] = words;
  if (words.length !== 3 || !words.every((word) => TOKEN.test(word))) {
    throw new UsageError(
      `${JSON.stringify(name)} is not a dialect; name ${Object.keys(DIALECTS).join(' or ')}, or write scheme,header-prefix,public-key-parameter`,
    );
  }
  return { scheme, headerPrefix, publicKeyParameter };
}

/** The text that `parseDialect` reads as this dialect. */
export function dialectName({ scheme, headerPrefix, publicKeyParameter }: Dialect): string {
  const words = [scheme, headerPrefix, publicKeyParameter].join(',');
  const known = Object.keys(DIALECTS).find(
    (name) => Object.values(parseDialect(name)).join(',') === words,
  );
  return known ?? words;
}

/** All other dialects that combine the words of this dialect and of the known ones; the known dialects come first. */
export function otherDialects(dialect: Dialect): readonly Dialect[] {
  const sources = [dialect, ...Object.values(DIALECTS)];
  const mixed = sources.flatMap(({ scheme }) =>
    sources.flatMap(({ headerPrefix }) =>
      sources.map(({ publicKeyParameter }) => ({ scheme, headerPrefix, publicKeyParameter })),
    ),
  );
  const byName = new Map(
    [...Object.values(DIALECTS), ...mixed].map((one) => [dialectName(one), one]),
  );
  byName.delete(dialectName(dialect));
  return [...byName.values()];
}
