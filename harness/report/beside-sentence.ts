/**
 * What is right beside a failing request, in words.
 *
 * @module
 */
import type { Neighbour } from '../fuzz/finding.ts';
import { visibleWithin } from './excerpt.ts';

/** @param besides how many requests beside it were asked about */
export function besideSentence(neighbour: Neighbour | undefined, besides: number): string {
  if (neighbour) return `right beside it: the same ${visibleWithin(neighbour.what)}`;
  return besides === 0
    ? 'no request beside it was asked about'
    : `wrong beside it as well: none of ${besides} requests that differ in one thing is answered rightly`;
}
