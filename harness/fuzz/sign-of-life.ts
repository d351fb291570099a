/**
 * Whether an adapter answers anything at all, before it is looked for what it answers wrongly.
 *
 * @module
 */
import { dialectNamed } from '../dialects.ts';
import { inWordsOf } from '../rederive/dialect.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Suite } from '../suite/vector.ts';
import type { Interview } from './interview.ts';

/** Breaking over so many different operations, it is not asked further. */
const MOST_BREAKS = 3;

/** Why the adapter never worked; nothing as soon as one known-good question gets an answer. */
export async function silence(
  interview: Interview,
  suite: Suite,
  operations: readonly string[],
  dialect: string,
  contents: ContentFolder,
): Promise<string | undefined> {
  const good = operations.flatMap((name) => {
    const own = suite.vectors.filter(({ operation, expect }) => operation === name && expect);
    return own.find(({ id }) => suite.knownGood.includes(id)) ?? own[0] ?? [];
  });
  let first: string | undefined;
  let breaks = 0;
  for (const { operation, keys, input } of inWordsOf(dialectNamed(dialect), good)) {
    if (breaks >= MOST_BREAKS) break;
    const question = { operation, keys, input: contents.expanded(input) };
    const [reply] = await interview.ask([question]);
    if (!reply || reply.kind === 'result') return undefined;
    const what = 'message' in reply && reply.message !== '' ? `: ${reply.message}` : '';
    first ??= `${reply.kind}${what}`;
    if (reply.kind === 'timeout' || reply.kind === 'crashed') breaks++;
  }
  return first && `no known-good question got a result; the first one ended as ${first}`;
}
