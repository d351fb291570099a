/**
 * A change: one way in which a value comes out wrong, whatever the value is for.
 *
 * A generated mistake is a change at a place. Its sentence is the place's noun followed by the change's clause: "the
 * name of a parameter" + "is written in lower case".
 *
 * @module
 */

import type { Steps } from '../../signing/index.ts';

export type StepName = keyof Steps;

/** Each step that a mistake changes: the function takes the correct step and returns a wrong one. */
export type Wraps = { readonly [Name in StepName]?: (right: Steps[Name]) => Steps[Name] };

export type Bytes = Uint8Array;

/** A name and a text, as parameters and headers are sorted. */
export type Item = readonly [name: string, text: string];

export interface ChangeNotes {
  /** What to do instead, `{noun}` standing for the place's noun; otherwise the kind's own fix. */
  readonly fix?: string;
  /** 1, for what is common, to 4, for what is rare. The search takes the cheapest that fits. */
  readonly cost?: number;
  /** Further steps that the same slip of the pen changes. */
  readonly also?: Wraps;
}

/** @typeParam F what the change does, in the terms of its kind */
export type Change<F> = readonly [id: string, clause: string, apply: F, notes?: ChangeNotes | undefined];

/** The changes of one kind. */
export interface Kind<F> {
  /** The default fix; `{noun}` stands for the place's noun. */
  readonly fix: string;
  readonly changes: readonly Change<F>[];
}

/** A kind, from its default fix and its changes. */
export const kind = <F>(fix: string, changes: readonly Change<NoInfer<F>>[]): Kind<F> => ({ fix, changes });
