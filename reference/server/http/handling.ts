/**
 * One request, from its headers to the last byte of its answer.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../answer.ts';
import type { Exchange } from '../exchange.ts';
import type { Outcome } from '../service.ts';
import { ServiceError } from '../service-error.ts';
import type { WireRequest } from '../wire-request.ts';
import { type IncomingBody, incomingBody } from './body.ts';
import type { Connection } from './connection.ts';
import { exchangeOf } from './exchange.ts';
import { fault, faultAnswer } from './fault.ts';
import type { Limits } from './limits.ts';
import { released, sent } from './sending.ts';
import { type Arrival, arrivalOf, wireRequest } from './wire-request.ts';

/** What does the work, and who is told of it. */
export interface Handling {
  readonly limits: Limits;
  readonly answer: (wire: WireRequest) => Promise<Outcome>;
  readonly onExchange: (exchange: Exchange) => void;
  /** Takes out of an answer what must not be shown. */
  readonly conceal?: (answer: Answer) => Answer;
  readonly isStopping: () => boolean;
}

/** As Node hands a request over. */
export interface Incoming {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** What `Expect` wants to hear before the body is sent. */
  readonly expects?: '100-continue' | 'something else';
}

/** Answers a request once those before it on its connection are answered. */
export function handled(incoming: Incoming, handling: Handling): Promise<void> {
  const { message, response, connection, expects } = incoming;
  const arrival = arrivalOf(message, randomUUID(), Date.now());
  let isAwaited = expects === '100-continue';
  const begin = (): void => {
    if (isAwaited) response.writeContinue();
    isAwaited = false;
  };
  const body = incomingBody(message, handling.limits, begin, connection.broken.signal);
  connection.isBetweenRequests = () => message.complete;
  return connection.inTurn(async () => {
    const outcome = await outcomeOf(arrival, incoming, body, handling);
    // A client that was not told to go on may send its body or not: nobody knows what comes next.
    const isBroken = connection.broken.signal.aborted && !message.complete;
    const isCut = isAwaited || body.isBroken() || isBroken;
    await answered(incoming, arrival, outcome, { body, handling, isCut });
  });
}

async function outcomeOf(
  arrival: Arrival,
  { message, expects }: Incoming,
  body: IncomingBody,
  { limits, answer }: Handling,
): Promise<Outcome> {
  const over = new AbortController();
  try {
    if (expects === 'something else') {
      throw fault(417, 'the header Expect wants something else than 100-continue; leave it out');
    }
    const wire = wireRequest(arrival, body.wire, message.httpVersion);
    const found = answer(wire);
    const late = sleep(limits.answerTime, undefined, { signal: over.signal, ref: false }).then(
      () => {
        // Nobody sends it any more. That it fails is told to nobody, either.
        found.then((outcome) => released(outcome.answer.body)).catch(() => undefined);
        throw fault(503, `no answer was found within ${limits.answerTime / 1000} s`);
      },
    );
    return await Promise.race([found, late]);
  } catch (error) {
    return failed(error, arrival.id);
  } finally {
    over.abort();
  }
}

/** What an error comes to; one of ours is shown whole in the log only. */
function failed(error: unknown, id: string): Outcome {
  if (error instanceof ServiceError) {
    return { answer: faultAnswer(error, id), message: error.message };
  }
  const told = fault(500, 'the server failed over this request; its log says how', false);
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { answer: faultAnswer(told, id), message };
}

interface Ending {
  readonly body: IncomingBody;
  readonly handling: Handling;
  /** Whether the rest of the body is of no use to anybody. */
  readonly isCut: boolean;
}

/** How long the rest of a broken body is thrown away, so that no reset takes the answer along; in milliseconds. */
const LINGER = 500;

async function answered(
  { message, response, connection }: Incoming,
  arrival: Arrival,
  outcome: Outcome,
  { body, handling, isCut }: Ending,
): Promise<void> {
  const { limits, isStopping, onExchange } = handling;
  const isUnread = !body.isWhole();
  const isLast =
    isCut ||
    isStopping() ||
    !response.shouldKeepAlive ||
    (body.wire.length ?? 0) > limits.unreadSize;
  // Node would cut the connection with the last byte of the answer.
  if (isUnread) message.socket.destroySoon = () => message.socket.end();
  const drained = isUnread
    ? Promise.race([body.drained(), ...(isCut ? [sleep(LINGER, false)] : [])])
    : true;
  let failure: string | undefined;
  try {
    const answer = handling.conceal?.(outcome.answer) ?? outcome.answer;
    await sent(response, answer, { method: message.method ?? '', isLast, limits });
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  onExchange(exchangeOf(arrival, outcome, failure));
  if (isLast) connection.isLast = true;
  if (failure !== undefined || !(await drained) || (isLast && isUnread)) connection.cut();
}
