/**
 * Runs a client against the reference server and judges every request that it sent.
 *
 * A client does not implement `Respondent`: it chooses its own requests, and the server's response decides most verdicts, so the
 * judge of replies cannot. The run, its explanation and its reports are those of every other verb.
 *
 * @module
 */
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import { type BucketSeed, selectDialect } from '../../../reference/server/options.ts';
import type { Outcome, Run } from '../../engine/judge/outcome.ts';
import type { Dialect } from '../../engine/protocol.ts';
import { bundledSuite } from '../../suite/bundle.ts';
import { type RunningServer, type ServerOptions, startServer } from '../serve/start.ts';
import {
  type Client,
  type ClientEnd,
  type ClientOptions,
  clientEnvironment,
  runClient,
} from './client.ts';
import { type ClientRequest, judgeRequest, toClientRequests } from './client-request.ts';

export interface WireOptions extends Omit<ClientOptions, 'environment'> {
  readonly command: readonly string[];
  readonly server: ServerOptions;
  /** The buckets that exist from the start. */
  readonly buckets: readonly [BucketSeed, ...BucketSeed[]];
  readonly env: NodeJS.ProcessEnv;
  /** Whether a client that exits with another status than 0 counts as a failure. */
  readonly countsStatus: boolean;
}

export interface WireResult {
  readonly run: Run;
  readonly client: Client;
  /** What the client sent, for a diagnosis. */
  readonly requests: readonly ClientRequest[];
  readonly dialect: Dialect;
}

/** How many requests are judged. */
const MOST_REQUESTS = 10_000;

export async function runWire(options: WireOptions): Promise<WireResult> {
  const exchanges: Exchange[] = [];
  let sent = 0;
  const dialect = selectDialect(options.server);
  const server = await startWireServer(options, (exchange) => {
    sent += 1;
    if (sent <= MOST_REQUESTS) exchanges.push(exchange);
  });
  const environment = clientEnvironment(server, options.buckets, options.env);
  // The server closes once it has answered all pending requests.
  const client = await runClient(options.command, { ...options, environment }).finally(
    server.close,
  );
  const requests = toClientRequests(exchanges, server.keys, dialect);
  const levels = new Map(bundledSuite().rules.map(({ id, level }) => [id, level] as const));
  const outcomes = [
    ...requests.map((request) => judgeRequest(request, server.keys, levels)),
    ...(options.countsStatus ? judgeStatus(client.end, server) : []),
  ];
  return { run: createRun(outcomes, client.end, sent), client, requests, dialect };
}

function startWireServer(
  { server, buckets }: WireOptions,
  onExchange: (exchange: Exchange) => void,
): Promise<RunningServer> {
  const [{ name }, ...others] = buckets;
  return startServer({
    ...server,
    buckets,
    // With a single bucket, clients may leave the bucket out of the host.
    ...(others.length === 0 && { boundHosts: { '127.0.0.1': name, localhost: name } }),
    onExchange,
  });
}

function createRun(outcomes: readonly Outcome[], end: ClientEnd, sent: number): Run {
  const run: Run = { outcomes, banner: 0 };
  if (end.kind === 'aborted') return { ...run, stopReason: end.why };
  const neverWorked = findWhyNothingJudged(outcomes, end);
  if (neverWorked !== undefined) return { ...run, neverWorked };
  return sent > MOST_REQUESTS
    ? { ...run, stopReason: `of ${sent} requests, only the first ${MOST_REQUESTS} were judged` }
    : run;
}

function findWhyNothingJudged(
  outcomes: readonly Outcome[],
  end: Exclude<ClientEnd, { readonly kind: 'aborted' }>,
): string | undefined {
  if (end.kind === 'absent') return end.why;
  const requests = outcomes.filter(({ sent }) => sent);
  if (requests.length === 0) {
    return `it ${end.how} and sent no request to this server; point it at SVC_ENDPOINT, or have it use the proxy that http_proxy names`;
  }
  if (requests.some(({ verdict }) => verdict.status === 'pass' || verdict.status === 'fail')) {
    return undefined;
  }
  const { vector, verdict } = requests[0] ?? {};
  return `none of its requests (${requests.length}) shows a signature that could be judged; ${vector?.id} was ${verdict?.status}${verdict?.message ? `: ${verdict.message}` : ''}`;
}

/** Judges the exit status of the client as one more outcome. */
function judgeStatus(end: ClientEnd, { keys }: RunningServer): readonly Outcome[] {
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
