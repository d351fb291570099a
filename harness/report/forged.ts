/**
 * The forged requests that verifiers accept, in words.
 *
 * @module
 */

import { shortened } from '../adapter/messages.ts';
import type { SharedMistake } from '../forgeries/shared-mistakes.ts';
import type { Suite } from '../suite/vector.ts';
import { othersSentence } from './cause-sentences.ts';
import { type Accepted, withAccept } from './commands.ts';
import { type Terminal, wrapped } from './terminal.ts';

/** In characters. */
const LONGEST_REQUEST = 600;

/**
 * A paragraph for each mistake that a verifier shares, at most `limit` of them.
 *
 * @param causes ids of mistakes that were explained already
 */
export function forgedBlock(
  shared: readonly SharedMistake[],
  suite: Suite,
  out: Terminal,
  limit: number,
  accept: (accepted: Accepted) => string,
  causes: readonly string[],
): string {
  const blocks = shared.slice(0, limit).map((one) => {
    const cause = one.mistakes[0]?.id ?? '';
    return withAccept(sharedBlock(one, suite, out, causes), accept({ cause }));
  });
  const left = shared.length - blocks.length;
  if (left > 0) blocks.push(`… and ${left} more shared mistakes; --all shows them`);
  return blocks.map((block) => `${block}\n\n`).join('');
}

function sharedBlock(
  { operations, mistakes, accepted }: SharedMistake,
  suite: Suite,
  { width, paint }: Terminal,
  causes: readonly string[],
): string {
  const [mistake, ...others] = mistakes;
  if (!mistake) throw new Error('an accepted forgery names no known mistake; run npm run build');
  const { id, wrong, fix, rule: ruleId } = mistake;
  const rule = suite.rules.find((candidate) => candidate.id === ruleId);
  const accept = `${operations.join(' and ')} ${operations.length === 1 ? 'accepts' : 'accept'}`;
  const line = (text: string): string => wrapped(text, width, '  ');
  const heading = `${paint('red', 'FORGED')} ${accept} a request signed with ${paint('bold', id)}${others.length === 0 ? '' : ' (or one alike)'}`;
  if (causes.includes(id))
    return `${heading}\n${line('the cause above; the verifier shares the mistake')}`;
  return [
    heading,
    line(`cause ${wrong}; the verifier shares the mistake`),
    line(`fix ${fix}`),
    line(`rule ${ruleId} (${rule?.level}): ${rule?.text}`),
    ...(others.length === 0 ? [] : [line(othersSentence({ others }))]),
    ...accepted
      .slice(0, 1)
      .map(({ vector, input }) =>
        line(`request of ${vector}: ${shortened(JSON.stringify(input), LONGEST_REQUEST)}`),
      ),
  ].join('\n');
}
