/**
 * `probe`: a server asked about rightly and wrongly signed requests.
 *
 * @module
 */
import type { Explanation } from '../diagnosis/explanation.ts';
import { explanationOfAnswers } from '../diagnosis/explanation.ts';
import { dialectNamed } from '../dialects.ts';
import { UsageError } from '../errors.ts';
import { keyPairOfEnvironment, keyPairOfFile } from '../explain/key-pair.ts';
import { hiding } from '../explain/secrecy.ts';
import { serverForgeries } from '../probe/asked-forgeries.ts';
import { DEVELOPMENT_KEYS } from '../probe/development-keys.ts';
import { type Bucket, probedBucket } from '../probe/own-bucket.ts';
import type { About } from '../probe/own-vector.ts';
import { Prober } from '../probe/prober.ts';
import { type Probe, probed } from '../probe/probing.ts';
import { ownVectors, questionsAbout } from '../probe/questions.ts';
import { hostsOf, type Server, serverUrl } from '../probe/server.ts';
import type { Run } from '../run.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ContentFolder } from '../suite/content.ts';
import { selectedVectors } from '../suite/select.ts';
import type { KeyPair, Suite, Vector } from '../suite/vector.ts';
import { exitCode, isFailure } from '../verdict.ts';
import { openedReports } from './reports.ts';
import {
  numberOption,
  type Options,
  type Parsed,
  parsed,
  refuseCommand,
  SELECTION,
  selectionOf,
  textOption,
  type Verb,
} from './verb.ts';

const { vectors: _, smoke: __, ...FILTERS } = SELECTION;

const OPTIONS: Options = {
  ...FILTERS,
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

export const probeVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  refuseCommand(given);
  const [url, ...patterns] = given.positionals;
  if (url === undefined) throw new UsageError('write svc-conformance probe [options] URL [ID…]');
  const server = await serverOf(given, url);
  const hide = hiding(server.keys.privateKey);
  try {
    return await probedServer(server, { ...given, positionals: patterns });
  } catch (error) {
    throw hide.error(error);
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
    keys: await keysOf(given),
    timeout: 1000 * numberOption(given, 'timeout', TIMEOUT),
    ...hostsOf(url, dialect, isProxied, fileHost),
  };
}

/** A pair that is half there is a mistake, and no wish for the published one. */
async function keysOf(given: Parsed): Promise<KeyPair> {
  const file = textOption(given, 'keys');
  if (file !== undefined) return keyPairOfFile(file);
  const { SVC_PUBLIC_KEY, SVC_PRIVATE_KEY } = process.env;
  return SVC_PUBLIC_KEY || SVC_PRIVATE_KEY ? keyPairOfEnvironment(process.env) : DEVELOPMENT_KEYS;
}

async function probedServer(server: Server, given: Parsed): Promise<number> {
  const reports = await openedReports(given);
  const bucket = await probedBucket(server, textOption(given, 'bucket'));
  const prober = new Prober(server, bucket.name);
  const interrupt = (): void => prober.abort('the run was interrupted');
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const about = aboutOf(server, bucket);
    const { suite, vectors, probe } = chosen(server, about, prober, given, bucket);
    const subject = {
      name: server.url.origin,
      command: [],
      wire: 'json',
      dialect: textOption(given, 'dialect') ?? 'svc',
      ownAdapter: false,
      isServer: true,
    } as const;
    reports.begun({
      suite,
      vectors,
      selection: selectionOf(given),
      subjects: [subject],
      parameters: given,
    });
    const run = await probed(prober, probe);
    const explanation = explained(run, server);
    await reports.judged({ subject, run, ...(explanation && { explanation }) });
    const code = exitCode(run);
    reports.ended({ exitCode: code, missing: 0 });
    return code;
  } finally {
    await bucket.remove();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function aboutOf(server: Server, { name, now }: Bucket): About {
  const { keys, dialect, fileHost, url } = server;
  const scheme = url.protocol.replace(':', '');
  return { keys, dialect, fileHost, scheme, bucket: name, now: now ?? seconds() };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** What of all that can be asked is asked. */
function chosen(
  server: Server,
  about: About,
  prober: Prober,
  given: Parsed,
  bucket: Bucket,
): { readonly suite: Suite; readonly vectors: readonly Vector[]; readonly probe: Probe } {
  const bundled = bundledSuite();
  const written = bundled.vectors.filter(({ operation }) => operation.startsWith('verify-'));
  const own = ownVectors(about);
  const suite = { ...bundled, vectors: [...written, ...own] };
  const vectors = selectedVectors(suite, selectionOf(given));
  const isWhole = vectors.length === suite.vectors.length;
  const { forgeries, unshown } = isWhole
    ? serverForgeries(bundled, about, prober)
    : { forgeries: [], unshown: [] };
  const isOwn = (vector: Vector): boolean => own.includes(vector);
  const questions = questionsAbout(
    about,
    vectors.filter((vector) => !isOwn(vector)),
    vectors.filter(isOwn),
    prober,
  );
  const probe = {
    name: server.url.origin,
    ...questions,
    forgeries,
    unshown,
    notes: clockNotes(bucket),
  };
  return { suite, vectors, probe };
}

/** Clocks that show whole seconds differ by one without being wrong. */
function clockNotes({ now, ahead }: Bucket): readonly string[] {
  if (now === undefined)
    return ['the server sends no Date, so expiry was asked by the clock of this machine'];
  if (Math.abs(ahead) < 2) return [];
  return [
    `the clock of the server is ${Math.abs(ahead)} s ${ahead < 0 ? 'behind' : 'ahead of'} the one of this machine; expiry was asked by the server's`,
  ];
}

/** Nobody is asked any further: what the answers show is all there is. */
function explained({ outcomes }: Run, { dialect }: Server): Explanation | undefined {
  if (!outcomes.some(isFailure)) return undefined;
  const contents = new ContentFolder();
  try {
    return explanationOfAnswers(outcomes, dialect, contents);
  } finally {
    contents.remove();
  }
}
