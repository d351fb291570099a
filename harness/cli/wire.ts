/**
 * `wire`: a client program run against the reference server, and every request that it sent judged.
 *
 * @module
 */
import { dialectName, dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { warn } from '../output.ts';
import { StartError } from '../serve/start.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { exitCode } from '../verdict.ts';
import { wireReport } from '../wire/terminal-report.ts';
import { type Wired, type Wish, wired } from '../wire/wire.ts';
import { openedReports, type Reports } from './reports.ts';
import { SERVICE_OPTIONS, serverOptions } from './serve-options.ts';
import { numberOption, type Options, type Parsed, parsed, textOption, type Verb } from './verb.ts';

const OPTIONS: Options = {
  ...SERVICE_OPTIONS,
  timeout: { type: 'string' },
  quiet: { type: 'boolean' },
  'client-status': { type: 'boolean' },
  expectations: { type: 'string' },
  all: { type: 'boolean' },
  reporter: { type: 'string', multiple: true },
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** In seconds. */
const TIME_LIMIT = 300;

/** The one that published clients are in: their stock hosts are served. */
const DIALECT = 'ucloud';

/** What is there where nobody asks for another. */
const BUCKET = { name: 'wire', type: 'private' } as const;

export const wireVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort('the run was interrupted');
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const wish = await wishIn(given, stop.signal);
    const reports = await openedReports(given, wireReport);
    return await told(await wired(wish), wish, given, reports);
  } catch (error) {
    if (error instanceof StartError) throw new UsageError(error.message);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
};

async function wishIn(given: Parsed, signal: AbortSignal): Promise<Wish> {
  const { command = [], positionals, values } = given;
  if (command.length === 0 || positionals.length > 0) {
    throw new UsageError(
      'wire runs one client program; write svc-conformance wire [options] -- COMMAND…',
    );
  }
  const server = await serverOptions(given);
  const path = textOption(given, 'expectations');
  const { readExpectations } = await import('../expectations/file.ts');
  const [first = BUCKET, ...others] = server.buckets ?? [];
  return {
    command,
    server: { port: 0, dialect: dialectNamed(DIALECT), ...server },
    buckets: [first, ...others],
    timeLimit: 1000 * numberOption(given, 'timeout', TIME_LIMIT),
    isQuiet: values['quiet'] === true,
    countsStatus: values['client-status'] === true,
    // What a client sends is its own affair: an entry may be about a request that it did not come to.
    expectations: path === undefined ? undefined : readExpectations(path, false),
    signal,
  };
}

/** Tells the reports and yields the exit code. */
async function told(
  { run, explanation, client }: Wired,
  { command, server }: Wish,
  given: Parsed,
  reports: Reports,
): Promise<number> {
  const code = exitCode(run);
  // What was kept back says why, where something went wrong.
  if (code !== 0 && client.output !== '') warn(client.output);
  const { dialect = DIALECT } = server;
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
  await reports.begun({
    suite: { ...bundledSuite(), vectors },
    vectors,
    selection: { patterns: [], rules: [], levels: [], operations: [], smoke: false },
    subjects: [subject],
    parameters: given,
  });
  await reports.judged({ subject, run, ...(explanation && { explanation }) });
  reports.ended({ exitCode: code, missing: 0 });
  return code;
}
