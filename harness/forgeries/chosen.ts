/**
 * The forgeries that are worth asking about, with all mistakes that accept them.
 *
 * @module
 */
import { MISTAKES } from '../../reference/mistakes/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { acceptingMistakes } from './forged.ts';
import type { Forgery } from './forgery.ts';
import { selectedForgeries } from './selection.ts';

/** Few of many, which show every mistake that any of them shows. */
export function chosenForgeries(all: readonly Forgery[], dialect: Dialect): readonly Forgery[] {
  const names = new Set(all.flatMap(({ mistakes }) => mistakes));
  const signing = MISTAKES.filter(({ id }) => names.has(id));
  return selectedForgeries(all).map((forgery) => {
    const acceptedWith = acceptingMistakes(forgery, dialect, signing);
    return acceptedWith.length === 0 ? forgery : { ...forgery, acceptedWith };
  });
}
