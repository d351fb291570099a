/**
 * The dialects that a run can be in.
 *
 * @module
 */
import type { Dialect } from './adapter/messages.ts';
import { UsageError } from './errors.ts';

const DIALECTS: Readonly<Record<string, Dialect>> = {
  svc: { scheme: 'Svc', headerPrefix: 'X-Svc-', publicKeyParameter: 'SvcPublicKey' },
  ucloud: { scheme: 'UCloud', headerPrefix: 'X-UCloud-', publicKeyParameter: 'UCloudPublicKey' },
};

/** The cause of failures that are right in another dialect; it breaks no step, so it is in no register of mistakes. */
export const WRONG_DIALECT = 'wrong-dialect';

const TOKEN = /^[A-Za-z0-9-]+$/;

/** A dialect by its name, or by its three words with commas between them. */
export function dialectNamed(name: string): Dialect {
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

/** The name under which `dialectNamed` finds it. */
export function dialectName({ scheme, headerPrefix, publicKeyParameter }: Dialect): string {
  const words = [scheme, headerPrefix, publicKeyParameter].join(',');
  const known = Object.keys(DIALECTS).find(
    (name) => Object.values(dialectNamed(name)).join(',') === words,
  );
  return known ?? words;
}

/** Every combination of the known words with those of a dialect, without the dialect itself; whole known dialects first. */
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
