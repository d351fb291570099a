/**
 * Runs a client against the service and judges its requests. Loaded when `wire` runs, not for its help.
 *
 * @module
 */
import { dialectName, parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import { exitCode } from '../engine/judge/summary.ts';
import { wireReport } from '../render/wire-report.ts';
import { runWire, type WireOptions, type WireResult } from '../respondents/client/wire.ts';
import { StartError } from '../respondents/serve/start.ts';
import { bundledSuite } from '../suite/bundle.ts';
import type { Call } from './call.ts';
import { openReports, type Reports } from './reports.ts';
import { CLIENT_DIALECT, serverOptions } from './serve-options.ts';
import { numberOption, type Parsed, textOption } from './verb.ts';

/** The bucket that the server has by default. */
const BUCKET = { name: 'wire', type: 'private' } as const;

export async function judgeClient(given: Parsed, call: Call): Promise<number> {
  const stop = new AbortController();
  const ignore = call.onInterrupt(() => stop.abort('the run was interrupted'));
  try {
    const wish = await wishIn(given, call, stop.signal);
    const reports = await openReports(given, call, wireReport);
    return await writeReports(await runWire(wish), wish, given, reports, call);
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message);
    throw error;
  } finally {
    ignore();
  }
}

async function wishIn(given: Parsed, call: Call, signal: AbortSignal): Promise<WireOptions> {
  const { command = [], positionals, values } = given;
  if (command.length === 0 || positionals.length > 0) {
    throw new UsageError(
      'wire runs one client program; write svc-conformance wire [options] -- COMMAND…',
    );
  }
  const server = await serverOptions(given);
  const path = textOption(given, 'expectations');
  const { readExpectations } = await import('../suite/expectations/file.ts');
  const [first = BUCKET, ...others] = server.buckets ?? [];
  return {
    command,
    server: { port: 0, dialect: parseDialect(CLIENT_DIALECT), ...server },
    buckets: [first, ...others],
    timeLimit: 1000 * numberOption(given, 'timeout'),
    env: call.env,
    stderr: values['quiet'] === true ? undefined : call.stderr,
    countsStatus: values['client-status'] === true,
    // A client may stop before it sends a request that an entry names, so patterns need not match.
    expectations: path === undefined ? undefined : readExpectations(path, false),
    signal,
  };
}

/** Writes the reports and returns the exit code. */
async function writeReports(
  { run, explanation, client }: WireResult,
  { command, server }: WireOptions,
  given: Parsed,
  reports: Reports,
  call: Call,
): Promise<number> {
  const code = exitCode(run);
  // If something went wrong, the output that was kept back may say why.
  if (code !== 0 && client.output !== '') call.warn(client.output);
  const { dialect = CLIENT_DIALECT } = server;
  const vectors = run.outcomes.map(({ vector }) => vector);
  const subject = {
    name: command.join(' '),
    command,
    dialect: typeof dialect === 'string' ? dialect : dialectName(dialect),
    wire: 'http',
    ownAdapter: false,
    kind: 'client' as const,
    ...(client.end.kind === 'exited' && { ended: client.end.how }),
  };
  await reports.begin({
    suite: { ...bundledSuite(), vectors },
    vectors,
    selection: { patterns: [], rules: [], levels: [], operations: [], smoke: false },
    subjects: [subject],
    parameters: given,
  });
  await reports.add(subject, run, explanation);
  reports.end({ exitCode: code, missing: 0 });
  return code;
}
