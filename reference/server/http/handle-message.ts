/**
 * Handles one HTTP request, from its headers to the last byte of its answer.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../values.ts';
import { errorAnswer, httpError } from '../messages/errors.ts';
import type { Answer, Arrival, Exchange, Outcome, WireRequest } from '../messages/exchange.ts';
import type { Connection } from './connections.ts';
import type { Limits } from './limits.ts';
import { IncomingBody, toArrival, toWireRequest } from './request.ts';
import { releaseBody, sendAnswer } from './send-answer.ts';

export interface Handling {
  readonly limits: Limits;
  readonly answer: (wire: WireRequest) => Promise<Outcome>;
  readonly onExchange: (exchange: Exchange) => void;
  /** The last change of each answer. */
  readonly finish?: (answer: Answer) => Answer;
  readonly isStopping: () => boolean;
}

/** A request and its response, from Node. */
export interface Incoming {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** The expectation of the header Expect. */
  readonly expects?: '100-continue' | 'something else';
}

/** Answers a request after all earlier requests of its connection. */
export function handleMessage(incoming: Incoming, handling: Handling): Promise<void> {
  const { message, response, connection, expects } = incoming;
  const arrival = toArrival(message, randomUUID(), Date.now());
  let isAwaited = expects === '100-continue';
  const { signal } = connection.broken;
  const body = new IncomingBody(message, handling.limits, signal, () => {
    if (isAwaited) response.writeContinue();
    isAwaited = false;
  });
  connection.lastRequest = message;
  return connection.enqueue(async () => {
    const outcome = await findOutcome(arrival, incoming, body, handling);
    // Without a 100 response, a client may or may not send its body, so the next bytes cannot be parsed.
    const isBroken = signal.aborted && !message.complete;
    const isCut = isAwaited || body.isBroken || isBroken;
    await sendOutcome(incoming, arrival, outcome, { body, handling, isCut });
  });
}

async function findOutcome(
  arrival: Arrival,
  { message, expects }: Incoming,
  body: IncomingBody,
  { limits, answer }: Handling,
): Promise<Outcome> {
  try {
    if (expects === 'something else') {
      throw httpError(
        417,
        'the header Expect has an unknown value; send 100-continue or leave it out',
      );
    }
    const wire = toWireRequest(arrival, body, message.httpVersion);
    return await withinTime(answer(wire), limits.answerTime);
  } catch (error) {
    return errorAnswer(error, arrival);
  }
}

/** Rejects after a time limit. A late answer is not sent, and a late error is not logged. */
function withinTime(found: Promise<Outcome>, most: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      found.then((outcome) => releaseBody(outcome.answer.body)).catch(() => undefined);
      reject(httpError(503, `no answer was found within ${most / 1000} s`));
    }, most);
    timer.unref();
    found.then(resolve, reject).then(() => clearTimeout(timer));
  });
}

interface Ending {
  readonly body: IncomingBody;
  readonly handling: Handling;
  /** Whether the rest of the body cannot be parsed. */
  readonly isCut: boolean;
}

/** How long a broken body is read and discarded, because a reset would lose the answer; in milliseconds. */
const LINGER = 500;

async function sendOutcome(
  { message, response, connection }: Incoming,
  arrival: Arrival,
  outcome: Outcome,
  { body, handling, isCut }: Ending,
): Promise<void> {
  const { limits, isStopping, onExchange } = handling;
  const isUnread = !body.isWhole;
  const isLast =
    isCut || isStopping() || !response.shouldKeepAlive || (body.length ?? 0) > limits.unreadSize;
  // Otherwise Node would close the connection with the last byte of the answer.
  if (isUnread) message.socket.destroySoon = () => message.socket.end();
  const drained = isUnread
    ? Promise.race([body.drain(), ...(isCut ? [sleep(LINGER, false)] : [])])
    : true;
  let failure: string | undefined;
  try {
    const answer = handling.finish?.(outcome.answer) ?? outcome.answer;
    await sendAnswer(response, answer, { method: message.method ?? '', isLast, limits });
  } catch (error) {
    failure = errorMessage(error);
  }
  onExchange(toExchange(arrival, outcome, failure));
  if (isLast) connection.isClosing = true;
  if (failure !== undefined || !(await drained) || (isLast && isUnread)) connection.destroy();
}

export function toExchange(arrival: Arrival, outcome: Outcome, failure?: string): Exchange {
  const { answer, operation, bucket, key, judgement } = outcome;
  const { status, code } = answer;
  const took = Date.now() - arrival.arrived;
  const messages = [outcome.message, failure].filter((message) => message !== undefined);
  const message = messages.length === 0 ? undefined : messages.join('; ');
  // A spread takes 20 µs longer (bench/server-ratio.ts).
  const { id, arrived, method, host, target, headers } = arrival;
  return {
    id,
    arrived,
    method,
    host,
    target,
    headers,
    took,
    operation,
    bucket,
    key,
    judgement,
    status,
    code,
    message,
  };
}
