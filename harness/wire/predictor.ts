/**
 * What a client with certain mistakes would have sent in the place of its requests.
 *
 * @module
 */
import type { Mistake } from '../../reference/mistakes/index.ts';
import { MISTAKES } from '../../reference/mistakes/index.ts';
import { type Context, type Dialect, inDialect } from '../../reference/signing/index.ts';
import type { Question } from '../adapter/messages.ts';
import type { Predicting } from '../diagnosis/hypothesis.ts';
import type { Observation } from '../diagnosis/observation.ts';
import { type Hypothesis, stepsUsed, withMistakes, written } from '../explain/cause.ts';
import type { ClientRequest, RequestSignature } from './client-request.ts';

/** So many requests of an operation that are right, and that are wrong, tell mistakes apart; the others only show them. */
const TELLING = 25;

export interface Observed {
  readonly observations: readonly Observation[];
  readonly predictor: Predicting;
}

/** What was seen of the requests that are signed, as answers to the question how they are signed. */
export function observed(requests: readonly ClientRequest[], dialect: Dialect): Observed {
  const context = inDialect(dialect);
  const hypotheses = new Map<Question, Hypothesis>();
  const telling = new Set<Question>();
  const counts = new Map<string, number>();
  const observations = requests.flatMap((request): readonly Observation[] => {
    const { id, operation, signature, exchange } = request;
    if (!signature || isOfVendor(request)) return [];
    const question = questionOf(request, signature);
    hypotheses.set(question, hypothesisOf(signature, context));
    const group = `${operation} ${exchange.judgement?.kind}`;
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    if (count <= TELLING) telling.add(question);
    const { subject, right } = signature;
    return [{ id, question, right: right.written, actual: subject.sent.written }];
  });
  return { observations, predictor: predicting(hypotheses, telling) };
}

/** A text of an SDK's own is no mistake, nor does it show that there is none. */
function isOfVendor({ exchange: { judgement } }: ClientRequest): boolean {
  return judgement?.kind === 'right' && judgement.vendorText !== undefined;
}

/** Nobody is asked; its length is what says which request is the smallest. */
function questionOf({ operation, exchange }: ClientRequest, { keys }: RequestSignature): Question {
  const { method, target, headers } = exchange;
  return { operation, keys, input: { method, target, headers } };
}

function hypothesisOf({ subject, keys }: RequestSignature, context: Context): Hypothesis {
  return { faults: [], subject, keys, context };
}

function predicting(
  hypotheses: ReadonlyMap<Question, Hypothesis>,
  telling: ReadonlySet<Question>,
): Predicting {
  const relevant = new Map<Question, readonly Mistake[]>();
  const answers = new Map<Question, Map<string, string | undefined>>();
  const relevantTo = (question: Question): readonly Mistake[] => {
    const known = relevant.get(question);
    if (known) return known;
    const hypothesis = hypotheses.get(question);
    const used = hypothesis ? stepsUsed(hypothesis) : new Set<string>();
    const found = MISTAKES.filter(({ swap }) => Object.keys(swap).some((step) => used.has(step)));
    relevant.set(question, found);
    return found;
  };
  return {
    isQuick: (question) => telling.has(question),
    relevant: relevantTo,
    answer: (question, mistakes) => {
      const hypothesis = hypotheses.get(question);
      if (!hypothesis) return undefined;
      const touching = mistakes.filter((mistake) => relevantTo(question).includes(mistake));
      const name = touching.map(({ id }) => id).join(' ');
      const known = answers.get(question) ?? new Map<string, string | undefined>();
      answers.set(question, known);
      if (!known.has(name)) known.set(name, written(withMistakes(hypothesis, touching)));
      return known.get(name);
    },
  };
}
