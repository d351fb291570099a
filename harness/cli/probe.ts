/**
 * `probe`: a server asked about rightly and wrongly signed requests.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import { type Explanation, explanationOfAnswers } from '../diagnosis/explanation.ts';
import { dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { hiding } from '../explain/secrecy.ts';
import { warn } from '../output.ts';
import { accountOf } from '../probe/account.ts';
import { probedBucket } from '../probe/own-bucket.ts';
import { planOf } from '../probe/plan.ts';
import { Prober } from '../probe/prober.ts';
import { probed } from '../probe/probing.ts';
import { hostsOf, type Server, serverUrl } from '../probe/server.ts';
import type { Run } from '../run.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ContentFolder } from '../suite/content.ts';
import { enforced, exitCode, isFailure } from '../verdict.ts';
import { openedReports, type Reports } from './reports.ts';
import { withExplanation } from './settled.ts';
import {
  numberOption,
  type Options,
  type Parsed,
  parsed,
  refuseCommand,
  selectionOf,
  textOption,
  type Verb,
} from './verb.ts';

const OPTIONS: Options = {
  rule: { type: 'string', multiple: true },
  level: { type: 'string', multiple: true },
  operation: { type: 'string', multiple: true },
  keys: { type: 'string' },
  bucket: { type: 'string' },
  dialect: { type: 'string' },
  'file-host': { type: 'string' },
  proxy: { type: 'boolean' },
  timeout: { type: 'string' },
  all: { type: 'boolean' },
  reporter: { type: 'string', multiple: true },
};

/** In seconds. */
const TIMEOUT = 5;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const probeVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  refuseCommand(given);
  const [url, ...patterns] = given.positionals;
  if (url === undefined) throw new UsageError('write svc-conformance probe [options] URL [ID…]');
  const server = await serverOf(given, url);
  try {
    return await probedServer(server, { ...given, positionals: patterns });
  } catch (error) {
    throw hiding(server.keys.privateKey).error(error);
  }
};

async function serverOf(given: Parsed, text: string): Promise<Server> {
  const url = serverUrl(text);
  const dialect = dialectNamed(textOption(given, 'dialect') ?? 'svc');
  const isProxied = given.values['proxy'] === true;
  const fileHost = textOption(given, 'file-host')?.replace(/^\./, '');
  return {
    url,
    dialect,
    isProxied,
    keys: await accountOf(textOption(given, 'keys'), process.env),
    timeout: 1000 * numberOption(given, 'timeout', TIMEOUT),
    ...hostsOf(url, dialect, isProxied, fileHost),
  };
}

async function probedServer(server: Server, given: Parsed): Promise<number> {
  const reports = await openedReports(given);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort('the run was interrupted');
  // Before the bucket is made: what is made is taken away again.
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await probedIn(server, given, reports, stop.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

async function probedIn(
  server: Server,
  given: Parsed,
  reports: Reports,
  stop: AbortSignal,
): Promise<number> {
  const bucket = await probedBucket(server, textOption(given, 'bucket'));
  const prober = new Prober(server, bucket.name, stop);
  try {
    const selection = selectionOf(given);
    const { probe, ...chosen } = planOf(server, bucket, prober, bundledSuite(), selection);
    const subject: Subject = {
      name: server.url.origin,
      command: [],
      wire: 'json',
      dialect: textOption(given, 'dialect') ?? 'svc',
      ownAdapter: false,
      kind: 'server',
    };
    await reports.begun({ ...chosen, selection, subjects: [subject], parameters: given });
    const run = enforced(await probed(prober, probe, server.dialect), selection);
    return await reported(reports, subject, run);
  } finally {
    const left = await bucket.remove();
    if (left !== undefined) warn(`svc-conformance: ${left}\n`);
  }
}

async function reported(reports: Reports, subject: Subject, run: Run): Promise<number> {
  const judged = await withExplanation(run, () => explained(run, subject.dialect));
  await reports.judged({ subject, ...judged });
  const code = exitCode(judged.run);
  reports.ended({ exitCode: code, missing: 0 });
  return code;
}

/** Nobody is asked any further: what the answers show is all there is. */
function explained({ outcomes }: Run, dialect: string): Explanation | undefined {
  if (!outcomes.some(isFailure)) return undefined;
  const contents = new ContentFolder();
  try {
    return explanationOfAnswers(outcomes, dialectNamed(dialect), contents);
  } finally {
    contents.remove();
  }
}
