/**
 * What one failure shows by itself: the shape of its answer, then its trace.
 *
 * @module
 */
import type { Cause } from '../../reference/mistakes/index.ts';
import type { Dialect, Reply } from '../adapter/messages.ts';
import { type Difference, firstDifference } from '../judge/difference.ts';
import { equalForm } from '../judge/equal-form.ts';
import { controlOf, type Outcome, questionOf } from '../run.ts';
import type { Vector } from '../suite/vector.ts';
import { isMistake } from './diagnose.ts';
import { mistakenReply } from './mistaken-reply.ts';
import { type AnswerShape, shapeOf } from './shape.ts';
import type { Shape } from './shapes/form.ts';
import type { Answered } from './shapes/writing-mistake.ts';
import { type TraceFinding, traceOf } from './trace.ts';

export interface Insight {
  readonly shape?: AnswerShape;
  readonly trace?: TraceFinding;
}

/** For so many answers of a report, the mistake in writing each is looked for; the others are told by their form alone. */
const MOST_WRITINGS = 40;

/** What the failures of a report show, each by itself. */
export class Insights {
  readonly #dialect: Dialect;
  readonly #explained: ReadonlySet<string>;
  readonly #shapes = new Map<Outcome, AnswerShape | undefined>();

  /** @param explained vectors whose failures a cause explains: of those, the form says enough */
  constructor(dialect: Dialect, explained: ReadonlySet<string> = new Set()) {
    this.#dialect = dialect;
    this.#explained = explained;
  }

  /** Whether a cause explains the failure of a vector. */
  isExplained({ vector }: Outcome): boolean {
    return this.#explained.has(vector.id);
  }

  /** Looks at a wrong answer, or at the wrong answer to the control of a refusal; nothing where there is none. */
  into(outcome: Outcome): Insight {
    const wrong = wrongAnswer(outcome);
    if (!wrong) return {};
    const shape = this.#shapeOf(outcome, wrong);
    const trace = traceOf(wrong.answered, wrong.given);
    return { ...(shape && { shape }), ...(trace && { trace }) };
  }

  /** What all wrong answers to some vectors have in common; nothing where that is nothing, or where there is only one. */
  shared(ids: readonly string[], outcomes: readonly Outcome[]): SharedShape | undefined {
    const asked = new Set(ids);
    const wrong = outcomes
      .filter(({ vector }) => asked.has(vector.id))
      .flatMap((outcome) => {
        const answer = wrongAnswer(outcome);
        return answer ? [[outcome, answer] as const] : [];
      });
    const isMany = wrong.length > MOST_WRITINGS;
    let shared: SharedShape | undefined;
    for (const [outcome, answer] of wrong) {
      const { answered, given } = answer;
      const found = isMany ? shapeOf(answered, given.result) : this.#shapeOf(outcome, answer);
      const shapes = found?.shapes.filter(({ what }) => !shared || hasShape(shared, what)) ?? [];
      if (!found || shapes.length === 0) return undefined;
      const right = found.right && shared?.right !== false;
      shared = { right, shapes, answers: wrong.length };
    }
    return wrong.length > 1 ? shared : undefined;
  }

  #shapeOf(outcome: Outcome, { answered, given }: WrongAnswer): AnswerShape | undefined {
    if (this.isExplained(outcome)) return shapeOf(answered, given.result);
    if (this.#shapes.size === MOST_WRITINGS && !this.#shapes.has(outcome)) {
      return shapeOf(answered, given.result);
    }
    if (!this.#shapes.has(outcome)) {
      this.#shapes.set(outcome, shapeOf(answered, given.result, this.#dialect));
    }
    return this.#shapes.get(outcome);
  }
}

interface WrongAnswer {
  readonly answered: Answered;
  readonly given: Extract<Reply, { kind: 'result' }>;
}

function wrongAnswer(outcome: Outcome): WrongAnswer | undefined {
  const { vector, verdict, reply, controlReply } = outcome;
  const isControl = vector.control !== undefined;
  const given = isControl ? controlReply : reply;
  const expect = isControl ? vector.control.expect : vector.expect;
  if (!verdict.difference || given?.kind !== 'result' || !expect) return undefined;
  return { answered: { ...(isControl ? controlOf(vector) : questionOf(vector)), expect }, given };
}

/** The shapes that several wrong answers have in common, and how many answers they are. */
export interface SharedShape {
  readonly right: boolean;
  readonly shapes: readonly Shape[];
  readonly answers: number;
}

/** Whether one of these shapes is this one. */
export const hasShape = ({ shapes }: Pick<SharedShape, 'shapes'>, what: string): boolean =>
  shapes.some((shape) => shape.what === what);

/**
 * Where what was signed first differs, deduced from mistakes that give the very answer.
 *
 * A digest hides what was signed; nothing where the answer shows it, or where the mistakes give another answer.
 */
export function deducedDifference(
  { operation, keys, input, expect }: Pick<Vector, 'operation' | 'keys' | 'input' | 'expect'>,
  { stage, actual }: Difference,
  causes: readonly Cause[],
  dialect: Dialect,
): Difference | undefined {
  const mistakes = causes.filter(isMistake);
  if (!expect || mistakes.length === 0 || 'content' in input) return undefined;
  const reply = mistakenReply({ operation, keys, input }, mistakes, dialect);
  if (reply.kind !== 'result' || equalForm(operation, stage, reply.result[stage]) !== actual) {
    return undefined;
  }
  // A list of pairs reads worse than the text that they make.
  const { sortedParameters: _, ...shown } = reply.result;
  const found = firstDifference(operation, expect, shown);
  return found && found.stage !== stage ? found : undefined;
}
