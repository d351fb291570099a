/**
 * How certain a cause is, in words. Apart from the search for causes, which a run without failures does not load.
 *
 * @module
 */
import type { FoundCause } from './diagnose.ts';

/** The remark after the name of a cause that is not certain; empty for a certain one. */
export function describeCertainty({ confidence, others, differing }: FoundCause): string {
  if (confidence === 'one of') return others.length > 0 ? ' (one of several)' : ' (likely)';
  return differing ? ` (fits ${differing[1] - differing[0]} of ${differing[1]} answers)` : '';
}

/** The same remark for a sentence about one failure. */
export function describeCertaintyInSentence(cause: FoundCause): string {
  return cause.others.length > 0 ? ' (or one alike)' : describeCertainty(cause);
}
