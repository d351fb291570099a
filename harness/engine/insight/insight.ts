/**
 * Examines single failures: the shape of the answer, then its trace.
 *
 * @module
 */
import type { Cause } from '../../../reference/mistakes/index.ts';
import { isMistake } from '../diagnosis/diagnose.ts';
import { replyWithMistakes } from '../diagnosis/reference-reply.ts';
import { type Difference, findFirstDifference, normalizeStage } from '../judge/comparison.ts';
import { type Outcome, toControlQuestion, toQuestion } from '../judge/outcome.ts';
import type { Dialect, Reply } from '../protocol.ts';
import type { Vector } from '../vector.ts';
import { type Answered, type AnswerShape, findShape } from './shape.ts';
import { analyzeTrace, type TraceFinding } from './trace.ts';

export interface Insight {
  readonly shape?: AnswerShape;
  readonly trace?: TraceFinding;
}

/** An outcome that was read from a report, with the insight that the report records. */
export interface RecordedOutcome extends Outcome {
  readonly insight: Insight;
}

function isRecorded(outcome: Outcome): outcome is RecordedOutcome {
  return 'insight' in outcome;
}

/** The most answers of a report whose encoding mistake is searched; for further ones, only the form is examined. */
const MOST_WRITINGS = 40;

/** Examines the failures of a report one by one. */
export class Insights {
  readonly #dialect: Dialect;
  readonly #explained: ReadonlySet<string>;
  readonly #shapes = new Map<Outcome, AnswerShape | undefined>();

  /** @param explained the ids of vectors whose failures a cause explains; for those, only the form is examined */
  constructor(dialect: Dialect, explained: ReadonlySet<string> = new Set()) {
    this.#dialect = dialect;
    this.#explained = explained;
  }

  isExplained({ vector }: Outcome): boolean {
    return this.#explained.has(vector.id);
  }

  /** Examines the wrong answer of an outcome, or the wrong answer to its control; empty if both are correct. */
  inspect(outcome: Outcome): Insight {
    if (isRecorded(outcome)) return outcome.insight;
    const wrong = findWrongAnswer(outcome);
    if (!wrong) return {};
    const shape = this.#findShape(outcome, wrong);
    const trace = analyzeTrace(wrong.answered, wrong.given);
    return { ...(shape && { shape }), ...(trace && { trace }) };
  }

  /** The shapes that all wrong answers to some vectors share; `undefined` if they share no shape, or for a single answer. */
  findShared(ids: readonly string[], outcomes: readonly Outcome[]): SharedShape | undefined {
    const asked = new Set(ids);
    const wrong = outcomes.flatMap((outcome) => {
      const answer = asked.has(outcome.vector.id) ? findWrongAnswer(outcome) : undefined;
      return answer ? [[outcome, answer] as const] : [];
    });
    const isMany = wrong.length > MOST_WRITINGS;
    let shared: SharedShape | undefined;
    for (const [outcome, answer] of wrong) {
      const { answered, given } = answer;
      const found = isMany ? findShape(answered, given.result) : this.#findShape(outcome, answer);
      const shapes = found?.shapes.filter(({ what }) => !shared || hasShape(shared, what)) ?? [];
      if (!found || shapes.length === 0) return undefined;
      const right = found.right && shared?.right !== false;
      shared = { right, shapes, answers: wrong.length };
    }
    return wrong.length > 1 ? shared : undefined;
  }

  #findShape(outcome: Outcome, { answered, given }: WrongAnswer): AnswerShape | undefined {
    if (isRecorded(outcome)) return outcome.insight.shape;
    const hasRoom = this.#shapes.size < MOST_WRITINGS || this.#shapes.has(outcome);
    if (this.isExplained(outcome) || !hasRoom) return findShape(answered, given.result);
    if (!this.#shapes.has(outcome)) {
      this.#shapes.set(outcome, findShape(answered, given.result, this.#dialect));
    }
    return this.#shapes.get(outcome);
  }
}

interface WrongAnswer {
  readonly answered: Answered;
  readonly given: Extract<Reply, { kind: 'result' }>;
}

function findWrongAnswer(outcome: Outcome): WrongAnswer | undefined {
  const { vector, verdict, reply, controlReply } = outcome;
  const isControl = vector.control !== undefined;
  const given = isControl ? controlReply : reply;
  const expect = isControl ? vector.control.expect : vector.expect;
  if (!verdict.difference || given?.kind !== 'result' || !expect) return undefined;
  const question = isControl ? toControlQuestion(vector) : toQuestion(vector);
  return { answered: { ...question, expect }, given };
}

/** The shapes that several wrong answers share, and the number of these answers. */
export interface SharedShape extends Pick<AnswerShape, 'right' | 'shapes'> {
  readonly answers: number;
}

export const hasShape = ({ shapes }: Pick<SharedShape, 'shapes'>, what: string): boolean =>
  shapes.some((shape) => shape.what === what);

/**
 * Deduces the first difference in the signed text, which a digest hides, from mistakes that give exactly the answer.
 *
 * `undefined` if the answer itself shows the difference, or if the mistakes give another answer.
 *
 * @param hidden stages that are not shown: by default the list of sorted parameters, as the string to sign is easier to read
 */
export function deduceDifference(
  { operation, keys, input, expect }: Pick<Vector, 'operation' | 'keys' | 'input' | 'expect'>,
  { stage, actual }: Difference,
  causes: readonly Cause[],
  dialect: Dialect,
  hidden: readonly string[] = ['sortedParameters'],
): Difference | undefined {
  const mistakes = causes.filter(isMistake);
  if (!expect || mistakes.length === 0 || 'content' in input) return undefined;
  const reply = replyWithMistakes({ operation, keys, input }, mistakes, dialect);
  if (reply.kind !== 'result') return undefined;
  const normalize = (text: unknown): string => normalizeStage(operation, stage, text);
  if (normalize(reply.result[stage]) !== normalize(actual)) return undefined;
  const stages = Object.entries(reply.result).filter(([name]) => !hidden.includes(name));
  const found = findFirstDifference(operation, expect, Object.fromEntries(stages));
  return found && found.stage !== stage ? found : undefined;
}
