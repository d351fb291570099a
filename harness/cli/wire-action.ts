/**
 * Runs a client against the service and judges its requests. Loaded when `wire` runs, not for its help.
 *
 * @module
 */
import { dialectName, parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import type { Run } from '../engine/judge/outcome.ts';
import { exitCode } from '../engine/judge/summary.ts';
import type { Header } from '../engine/report/report.ts';
import type { Subject } from '../engine/respondent.ts';
import { wireReport } from '../render/wire-report.ts';
import type { Client } from '../respondents/client/client.ts';
import { diagnoseClient } from '../respondents/client/diagnosis.ts';
import { runWire, type WireOptions } from '../respondents/client/wire.ts';
import { StartError } from '../respondents/serve/start.ts';
import { BUNDLED, bundledSuite } from '../suite/bundle.ts';
import type { Call } from './call.ts';
import { withExplanation } from './explain-failures.ts';
import { openReports, reportRun } from './reports.ts';
import { CLIENT_DIALECT, serverOptions } from './serve-options.ts';
import { flagOption, numberOption, type Parsed, textOption } from './verb.ts';

/** The bucket that the server has by default. */
const BUCKET = { name: 'wire', type: 'private' } as const;

export async function judgeClient(given: Parsed, call: Call): Promise<number> {
  const stop = new AbortController();
  const ignore = call.io.onInterrupt(() => stop.abort('the run was interrupted'));
  try {
    const options = await parseWireOptions(given, call, stop.signal);
    const path = textOption(given, 'expectations');
    const { readExpectations } = await import('../suite/expectations.ts');
    // A client may stop before it sends a request that an entry names, so patterns need not match.
    const expectations = path === undefined ? undefined : readExpectations(path, false);
    const reports = await openReports(given, call, wireReport);
    const { run, client, requests, dialect } = await runWire(options);
    const explain = () => diagnoseClient(requests, dialect, BUNDLED);
    const explained = await withExplanation(run, explain, expectations);
    // If the run failed, the hidden output of the client may say why.
    if (exitCode(explained.run) !== 0 && client.output !== '') call.warn(client.output);
    const subject = toSubject(options, client);
    await reports.begin(createHeader(explained.run, subject, given));
    return await reportRun(reports, subject, explained);
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message);
    throw error;
  } finally {
    ignore();
  }
}

async function parseWireOptions(
  given: Parsed,
  call: Call,
  signal: AbortSignal,
): Promise<WireOptions> {
  const { command = [], positionals } = given;
  if (command.length === 0 || positionals.length > 0) {
    throw new UsageError(
      'wire runs one client program; write svc-conformance wire [options] -- COMMAND…',
    );
  }
  const server = await serverOptions(given);
  const [first = BUCKET, ...others] = server.buckets ?? [];
  return {
    command,
    server: { port: 0, dialect: parseDialect(CLIENT_DIALECT), ...server },
    buckets: [first, ...others],
    timeLimit: 1000 * numberOption(given, 'timeout'),
    env: call.io.env,
    stderr: flagOption(given, 'quiet') ? undefined : call.io.stderr,
    countsStatus: flagOption(given, 'client-status'),
    signal,
  };
}

function toSubject({ command, server }: WireOptions, { end }: Client): Subject {
  const { dialect = CLIENT_DIALECT } = server;
  return {
    name: command.join(' '),
    command,
    dialect: typeof dialect === 'string' ? dialect : dialectName(dialect),
    wire: 'http',
    isBundled: false,
    kind: 'client',
    ...(end.kind === 'exited' && { ended: end.how }),
  };
}

/** The header of the report, with the requests of the client instead of vectors. */
function createHeader({ outcomes }: Run, subject: Subject, given: Parsed): Header {
  const vectors = outcomes.map(({ vector }) => vector);
  return {
    suite: { ...bundledSuite(), vectors },
    vectors,
    selection: { patterns: [], rules: [], levels: [], operations: [], smoke: false },
    subjects: [subject],
    parameters: given,
  };
}
