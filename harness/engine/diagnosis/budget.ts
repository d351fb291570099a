/**
 * Limits a search by the number of answers that it computes: time would make results depend on the load of a machine.
 *
 * @module
 */
import type { Predictor } from './predictor.ts';

/** Further evaluations for open answers, in all. */
const FURTHER = 30_000;

export class Budget {
  readonly #predictor: Predictor;
  #last: number;
  #end: number;

  constructor(predictor: Predictor, evaluations: number) {
    this.#predictor = predictor;
    this.#last = predictor.evaluations + evaluations;
    this.#end = this.#last + FURTHER;
  }

  get isSpent(): boolean {
    return this.#predictor.evaluations > this.#last;
  }

  /** Allows further evaluations, up to the limit of all. */
  allow(evaluations: number): void {
    this.#last = Math.min(this.#end, this.#predictor.evaluations + evaluations);
  }

  /** Limits what later calls allow, all of them together. */
  limit(evaluations: number): void {
    this.#end = this.#predictor.evaluations + evaluations;
  }
}
