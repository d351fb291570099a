/**
 * Few forgeries that show every mistake and tell mistakes apart.
 *
 * @module
 */
import type { Forgery } from './forgery.ts';

/** Verifiers of both sign with the same code: what the latter shows, the former need not show again. */
const AKIN: Readonly<Record<string, string>> = {
  'verify-presigned-url': 'verify-authorization',
  'verify-json': 'verify-query',
};

/** Chosen among all forgeries; each operation shows every mistake that leads to a forgery there. */
export function selectedForgeries(all: readonly Forgery[]): readonly Forgery[] {
  const operations = [...new Set(all.map(({ operation }) => operation))];
  const of = (name: string | undefined): readonly Forgery[] =>
    all.filter(({ operation }) => operation === name);
  return operations.flatMap((name) => {
    const akin = AKIN[name];
    const selection = new Selection(of(name));
    const mistakes = mistakesOf(of(name));
    const shownThere = new Set(mistakesOf(of(akin)));
    const always = selection.showing(mistakes.filter((mistake) => !shownThere.has(mistake)));
    const others = selection.showing(mistakes.filter((mistake) => shownThere.has(mistake)));
    return [
      ...always,
      ...others.map((forgery) => ({ ...forgery, ...(akin && { unlessOffered: akin }) })),
    ];
  });
}

/** The forgeries that one operation is asked about. */
class Selection {
  /** Those of the smallest requests first: the less there is in one, the less else can go wrong with it. */
  readonly #forgeries: readonly Forgery[];
  readonly #chosen = new Set<Forgery>();

  constructor(forgeries: readonly Forgery[]) {
    this.#forgeries = [...forgeries].sort((a, b) => size(a) - size(b));
  }

  /** Chooses until these mistakes are shown, and told from all others wherever a forgery can; what was chosen. */
  showing(mistakes: readonly string[]): readonly Forgery[] {
    const before = new Set(this.#chosen);
    for (const mistake of mistakes) {
      if (this.#shown(mistake) === '') this.#choose((names) => names.includes(mistake));
    }
    for (const one of mistakes) {
      for (const other of mistakesOf(this.#forgeries)) {
        if (one === other || this.#shown(one) !== this.#shown(other)) continue;
        this.#choose((names) => names.includes(one) !== names.includes(other));
      }
    }
    return [...this.#chosen].filter((forgery) => !before.has(forgery));
  }

  /** The one that fewest mistakes lead to, of a request that has a control already where there is one. */
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

  /** Which of the chosen forgeries a mistake leads to. */
  #shown(mistake: string): string {
    return [...this.#chosen]
      .flatMap(({ mistakes }, i) => (mistakes.includes(mistake) ? [i] : []))
      .join();
  }
}

function mistakesOf(forgeries: readonly Forgery[]): readonly string[] {
  return [...new Set(forgeries.flatMap(({ mistakes }) => mistakes))];
}

function size({ control }: Forgery): number {
  return JSON.stringify(control.input).length;
}
