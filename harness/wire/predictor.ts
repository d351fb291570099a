/**
 * What a client with certain mistakes would have sent in the place of its requests.
 *
 * @module
 */
import { type Context, type Dialect, inDialect } from '../../reference/signing/index.ts';
import type { Question } from '../adapter/messages.ts';
import type { Observation } from '../diagnosis/observation.ts';
import { Predictor } from '../diagnosis/predictor.ts';
import { type Hypothesis, written } from '../explain/cause.ts';
import type { ClientRequest, RequestSignature } from './client-request.ts';

/** So many requests of an operation that are right, and that are wrong, tell mistakes apart; the others only show them. */
const TELLING = 25;

export interface Observed {
  readonly observations: readonly Observation[];
  readonly predictor: Predictor;
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
  const predictor = new Predictor(
    context,
    (question, asked) => {
      const hypothesis = hypotheses.get(question);
      return hypothesis && written({ ...hypothesis, context: asked });
    },
    (question) => (telling.has(question) ? 0 : Number.POSITIVE_INFINITY),
  );
  return { observations, predictor };
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
