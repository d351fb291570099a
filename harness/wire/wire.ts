/**
 * A client run against the reference server, and every request that it sent judged.
 *
 * @module
 */
import type { Exchange } from '../../reference/server/exchange.ts';
import { type BucketSeed, dialectOf } from '../../reference/server/options.ts';
import { type Explanation, unexpectedIn } from '../diagnosis/explanation.ts';
import { internalErrorText, isForeseen } from '../errors.ts';
import type { Expectations } from '../expectations/expectation.ts';
import type { Outcome, Run } from '../run.ts';
import { type RunningServer, type ServerOptions, startServer } from '../serve/start.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { isFailure } from '../verdict.ts';
import { type Client, type ClientEnd, ranClient } from './client.ts';
import { clientRequests } from './client-request.ts';
import { diagnosed } from './diagnosis.ts';
import { clientEnvironment } from './environment.ts';
import { outcomeOf } from './outcome.ts';

export interface Wish {
  readonly command: readonly string[];
  readonly server: ServerOptions;
  /** That are there from the start. */
  readonly buckets: readonly [BucketSeed, ...BucketSeed[]];
  /** In milliseconds. */
  readonly timeLimit: number;
  readonly isQuiet: boolean;
  /** Whether a client that says itself that it failed has. */
  readonly countsStatus: boolean;
  /** The failures that are known of the client. */
  readonly expectations: Expectations | undefined;
  readonly signal: AbortSignal;
}

export interface Wired {
  readonly run: Run;
  /** Where something failed. */
  readonly explanation?: Explanation;
  readonly client: Client;
}

/** More requests are not judged. */
const MOST = 10_000;

/** Runs the client, then judges. */
export async function wired(wish: Wish): Promise<Wired> {
  const exchanges: Exchange[] = [];
  let sent = 0;
  const dialect = dialectOf(wish.server);
  const server = await started(wish, (exchange) => {
    sent += 1;
    if (sent <= MOST) exchanges.push(exchange);
  });
  let client: Client;
  try {
    client = await ranClient(wish.command, {
      environment: clientEnvironment(server, wish.buckets, process.env),
      timeLimit: wish.timeLimit,
      isQuiet: wish.isQuiet,
      signal: wish.signal,
    });
  } finally {
    // Requests that are under way are still answered, and known then.
    await server.close();
  }
  const requests = clientRequests(exchanges, server.keys, dialect);
  const levels = new Map(bundledSuite().rules.map(({ id, level }) => [id, level] as const));
  const outcomes = [
    ...requests.map((request) => outcomeOf(request, server.keys, levels)),
    ...(wish.countsStatus ? statusOutcome(client.end, server) : []),
  ];
  const run = runOf(outcomes, client.end, sent);
  try {
    const found = outcomes.some(isFailure) ? diagnosed(requests, dialect) : undefined;
    return { client, ...(await expected(run, found, wish.expectations)) };
  } catch (error) {
    if (isForeseen(error)) throw error;
    // The verdicts are known, though nothing explains them.
    return { client, run: { ...run, internalError: internalErrorText(error) } };
  }
}

/** The failures that are known, marked, and the causes of the others. */
async function expected(
  run: Run,
  found: Explanation | undefined,
  expectations: Expectations | undefined,
): Promise<Omit<Wired, 'client'>> {
  if (!expectations) return { run, ...(found && { explanation: found }) };
  const { withExpectations } = await import('../expectations/meeting.ts');
  const ids = run.outcomes.map(({ vector }) => vector.id);
  const compared = withExpectations(run, expectations, ids, found);
  return {
    run: compared,
    ...(found && { explanation: { ...found, ...unexpectedIn(found, compared) } }),
  };
}

function started(
  { server, buckets }: Wish,
  onExchange: (exchange: Exchange) => void,
): Promise<RunningServer> {
  const [{ name }, ...others] = buckets;
  return startServer({
    ...server,
    buckets,
    // The endpoint alone says which bucket is meant, where there is one.
    ...(others.length === 0 && { boundHosts: { '127.0.0.1': name, localhost: name } }),
    onExchange,
  });
}

function runOf(outcomes: readonly Outcome[], end: ClientEnd, sent: number): Run {
  const known: Run = { outcomes, banner: 0 };
  if (end.kind === 'aborted') return { ...known, over: end.why };
  const why = whyNothing(outcomes, end);
  if (why !== undefined) return { ...known, neverWorked: why };
  return sent > MOST
    ? { ...known, over: `of ${sent} requests, only the first ${MOST} were judged` }
    : known;
}

/** Why there is nothing to judge. */
function whyNothing(
  outcomes: readonly Outcome[],
  end: Exclude<ClientEnd, { readonly kind: 'aborted' }>,
): string | undefined {
  if (end.kind === 'absent') return end.why;
  const requests = outcomes.filter(({ sent }) => sent);
  if (requests.length === 0) {
    return `it ${end.how} and sent no request here; point it at SVC_ENDPOINT, or have it use the proxy that http_proxy names`;
  }
  if (requests.some(({ verdict }) => verdict.status === 'pass' || verdict.status === 'fail')) {
    return undefined;
  }
  const { vector, verdict } = requests[0] ?? {};
  return `none of its requests (${requests.length}) shows a signature that could be judged; ${vector?.id} was ${verdict?.status}${verdict?.message ? `: ${verdict.message}` : ''}`;
}

/** What the client says of itself, as one outcome more. */
function statusOutcome(end: ClientEnd, { keys }: RunningServer): readonly Outcome[] {
  if (end.kind !== 'exited') return [];
  const message = end.isSuccess ? '' : `the client ${end.how}`;
  return [
    {
      vector: {
        id: 'client/exit-status',
        operation: 'client',
        rules: [],
        level: 'must',
        why: 'with --client-status, the client itself has to succeed',
        source: 'the client',
        keys,
        input: {},
      },
      verdict: { status: end.isSuccess ? 'pass' : 'fail', message },
      reply: { kind: 'unsupported' },
    },
  ];
}
