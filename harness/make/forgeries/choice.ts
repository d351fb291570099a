/**
 * A choice of few forgeries that show every mistake and tell mistakes apart.
 *
 * @module
 */
import { MISTAKES } from '../../../reference/mistakes/index.ts';
import type { Forgery } from '../../engine/judge/forgery.ts';
import type { Dialect } from '../../engine/protocol.ts';
import { findAcceptingMistakes } from './forgeries.ts';

/** Both operations verify with the same code: a mistake that a forgery of the latter shows needs no forgery of the former. */
const AKIN: Readonly<Record<string, string>> = {
  'verify-presigned-url': 'verify-authorization',
  'verify-json': 'verify-query',
};

/** For each operation, few forgeries that show every mistake that its forgeries can show. */
export function chooseForgeries(all: readonly Forgery[], dialect: Dialect): readonly Forgery[] {
  const names = new Set(all.flatMap(({ mistakes }) => mistakes));
  const signing = MISTAKES.filter(({ id }) => names.has(id));
  const operations = [...new Set(all.map(({ operation }) => operation))];
  return operations
    .flatMap((operation) => chooseForOperation(all, operation))
    .map((forgery) => {
      const acceptedWith = findAcceptingMistakes(forgery, dialect, signing);
      return acceptedWith.length === 0 ? forgery : { ...forgery, acceptedWith };
    });
}

function chooseForOperation(all: readonly Forgery[], operation: string): readonly Forgery[] {
  const akin = AKIN[operation];
  const own = all.filter((forgery) => forgery.operation === operation);
  const shownThere = new Set(mistakesIn(all.filter((forgery) => forgery.operation === akin)));
  const mistakes = mistakesIn(own);
  const selection = new Selection(own);
  const always = selection.show(mistakes.filter((mistake) => !shownThere.has(mistake)));
  const others = selection.show(mistakes.filter((mistake) => shownThere.has(mistake)));
  return [
    ...always,
    ...others.map((forgery) => ({ ...forgery, ...(akin && { unlessOffered: akin }) })),
  ];
}

/** The chosen forgeries of one operation. */
class Selection {
  /** Smallest requests first: small requests have few other ways to fail. */
  readonly #forgeries: readonly Forgery[];
  readonly #chosen = new Set<Forgery>();

  constructor(forgeries: readonly Forgery[]) {
    this.#forgeries = [...forgeries].sort((a, b) => size(a) - size(b));
  }

  /** Chooses until these mistakes are shown, and told apart from all others if any forgery can do that. Yields the new choices. */
  show(mistakes: readonly string[]): readonly Forgery[] {
    const before = new Set(this.#chosen);
    for (const mistake of mistakes) {
      if (this.#positions(mistake) === '') this.#choose((names) => names.includes(mistake));
    }
    for (const one of mistakes) {
      for (const other of mistakesIn(this.#forgeries)) {
        if (one === other || this.#positions(one) !== this.#positions(other)) continue;
        this.#choose((names) => names.includes(one) !== names.includes(other));
      }
    }
    return [...this.#chosen].filter((forgery) => !before.has(forgery));
  }

  /** Prefers the forgery that the fewest mistakes lead to, then one whose control is asked already. */
  #choose(isCandidate: (mistakes: readonly string[]) => boolean): void {
    const asked = new Set([...this.#chosen].map(({ vector }) => vector));
    const [best] = this.#forgeries
      .filter(({ mistakes }) => isCandidate(mistakes))
      .sort(
        (a, b) =>
          a.mistakes.length - b.mistakes.length ||
          Number(asked.has(b.vector)) - Number(asked.has(a.vector)),
      );
    if (best) this.#chosen.add(best);
  }

  /** The positions of the chosen forgeries that a mistake leads to, as a text. */
  #positions(mistake: string): string {
    return [...this.#chosen]
      .flatMap(({ mistakes }, i) => (mistakes.includes(mistake) ? [i] : []))
      .join();
  }
}

function mistakesIn(forgeries: readonly Forgery[]): readonly string[] {
  return [...new Set(forgeries.flatMap(({ mistakes }) => mistakes))];
}

function size({ control }: Forgery): number {
  return JSON.stringify(control.input).length;
}
