/**
 * What an implementation with certain mistakes would have answered.
 *
 * @module
 */
import { MISTAKES, type Mistake } from '../../reference/mistakes/index.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import type { ContentFolder } from '../suite/content.ts';
import { contentSize } from '../suite/content.ts';
import { mistakenReply, stepsUsed } from './mistaken-reply.ts';
import { shownReply } from './observation.ts';

/** Larger contents take too long to be hashed once for each mistake; in bytes. */
const LARGEST_CONTENT = 9 * 1024 * 1024;

/** Who knows what an implementation with certain mistakes would have answered. */
export type Predicting = Pick<Predictor, 'isQuick' | 'relevant' | 'answer'>;

/** Answers of implementations with mistakes, each computed once. */
export class Predictor {
  readonly #dialect: Dialect;
  readonly #contents: ContentFolder;
  readonly #answers = new Map<Question, Map<string, string | undefined>>();
  readonly #relevant = new Map<Question, readonly Mistake[]>();

  constructor(dialect: Dialect, contents: ContentFolder) {
    this.#dialect = dialect;
    this.#contents = contents;
  }

  /** Whether the answer can be computed in no time. */
  isQuick({ input }: Question): boolean {
    return contentSize(input) <= LARGEST_CONTENT;
  }

  /** The mistakes that can touch the answer at all. */
  relevant(question: Question): readonly Mistake[] {
    const known = this.#relevant.get(question);
    if (known) return known;
    const used = stepsUsed(this.#expanded(question), this.#dialect);
    const relevant = MISTAKES.filter(({ swap }) =>
      Object.keys(swap).some((step) => used.has(step)),
    );
    this.#relevant.set(question, relevant);
    return relevant;
  }

  /** The answer with these mistakes; nothing where they make the implementation break. */
  answer(question: Question, mistakes: readonly Mistake[]): string | undefined {
    const relevant = this.relevant(question);
    const touching = mistakes.filter((mistake) => relevant.includes(mistake));
    const name = touching.map(({ id }) => id).join(' ');
    const answers = this.#answers.get(question) ?? new Map<string, string | undefined>();
    if (!answers.has(name)) {
      const reply = mistakenReply(this.#expanded(question), touching, this.#dialect);
      answers.set(name, shownReply(question.operation, reply));
      this.#answers.set(question, answers);
    }
    return answers.get(name);
  }

  #expanded(question: Question): Question {
    return { ...question, input: this.#contents.expanded(question.input) };
  }
}
