/**
 * Asks a server and judges what it accepts. Loaded when `probe` runs, not for its help.
 *
 * @module
 */
import { explainAnswers } from '../engine/diagnosis/explanation.ts';
import { addFurtherFailures } from '../engine/diagnosis/further-failures.ts';
import { parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import { createHider } from '../engine/explain/secrecy.ts';
import { enforceAdvised } from '../engine/judge/summary.ts';
import type { Subject } from '../engine/respondent.ts';
import { openBucket } from '../respondents/server/bucket.ts';
import { Prober } from '../respondents/server/prober.ts';
import {
  parseServerUrl,
  readKeys,
  type Server,
  selectHosts,
} from '../respondents/server/server.ts';
import { BUNDLED } from '../suite/bundle.ts';
import { type Call, startProgress } from './call.ts';
import { type ExplainedRun, withExplanation } from './explain-failures.ts';
import { createPlan, createTarget, runProbe } from './probe-run.ts';
import { openReports, type Reports, reportRun } from './reports.ts';
import { selectionOf } from './selection.ts';
import { flagOption, numberOption, type Parsed, textOption, textOrDefault } from './verb.ts';

export async function probeServer(given: Parsed, call: Call): Promise<number> {
  const [url, ...patterns] = given.positionals;
  if (url === undefined) throw new UsageError('write svc-conformance probe [options] URL [ID…]');
  const server = await parseServer(given, url, call.io.env);
  try {
    return await probeWithReports(server, { ...given, positionals: patterns }, call);
  } catch (error) {
    throw createHider(server.keys.privateKey).error(error);
  }
}

async function parseServer(given: Parsed, text: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const url = parseServerUrl(text);
  const dialect = parseDialect(textOrDefault(given, 'dialect'));
  const isProxied = flagOption(given, 'proxy');
  const fileHost = textOption(given, 'file-host')?.replace(/^\./, '');
  return {
    url,
    dialect,
    isProxied,
    keys: await readKeys(textOption(given, 'keys'), env),
    timeout: 1000 * numberOption(given, 'timeout'),
    ...selectHosts(url, dialect, isProxied, fileHost),
  };
}

async function probeWithReports(server: Server, given: Parsed, call: Call): Promise<number> {
  const reports = await openReports(given, call);
  const stop = new AbortController();
  const progress = startProgress(call, 'asking');
  // Registered before the bucket is created, so that an interrupt removes the bucket.
  const ignore = call.io.onInterrupt(() => stop.abort('the run was interrupted'));
  try {
    return await probeInBucket(server, given, call, reports, stop.signal);
  } finally {
    progress.stop();
    ignore();
  }
}

async function probeInBucket(
  server: Server,
  given: Parsed,
  call: Call,
  reports: Reports,
  stop: AbortSignal,
): Promise<number> {
  const bucket = await openBucket(server, textOption(given, 'bucket'));
  const prober = new Prober(server, bucket.name, stop);
  try {
    const selection = selectionOf(given);
    const plan = createPlan(createTarget(server, bucket), selection);
    const { suite, vectors } = plan;
    const subject = createSubject(server, given);
    await reports.begin({ suite, vectors, selection, subjects: [subject], parameters: given });
    const run = enforceAdvised(await runProbe({ server, bucket, prober }, plan), selection);
    const explain = () => explainAnswers(run.outcomes, server.dialect, BUNDLED);
    const explained = explainFurther(await withExplanation(run, explain), server);
    return await reportRun(reports, subject, explained);
  } finally {
    await prober.close();
    const left = await bucket.remove();
    if (left !== undefined) call.warn(`svc-conformance: ${left}\n`);
  }
}

function explainFurther({ run, explanation }: ExplainedRun, { dialect }: Server): ExplainedRun {
  if (!explanation) return { run };
  return { run: addFurtherFailures(run, explanation, dialect, BUNDLED), explanation };
}

function createSubject({ url }: Server, given: Parsed): Subject {
  const dialect = textOrDefault(given, 'dialect');
  return {
    name: url.origin,
    command: [],
    wire: 'json',
    dialect,
    isBundled: false,
    kind: 'server',
  };
}
