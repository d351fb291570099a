/**
 * Selects the questions of a probe.
 *
 * @module
 */
import { dialectName, otherDialects } from '../../engine/dialects.ts';
import { toQuestion } from '../../engine/judge/outcome.ts';
import { type Selection, selectVectors } from '../../engine/select.ts';
import type { Suite, Vector } from '../../engine/vector.ts';
import type { Target } from '../../make/probe/probe-vectors.ts';
import type { Bucket } from '../../respondents/server/bucket.ts';
import type { Prober } from '../../respondents/server/prober.ts';
import type { Server } from '../../respondents/server/server.ts';
import { serverForgeries } from './asked-forgeries.ts';
import type { Probe } from './probe.ts';
import { simplest } from './probing.ts';
import { ownVectors, questionsAbout } from './questions.ts';

export interface Plan {
  /** The verify vectors, and those that only a server can be asked. */
  readonly suite: Suite;
  /** The selected ones. */
  readonly vectors: readonly Vector[];
  readonly probe: Probe;
}

/** @param bundled the suite of the package */
export function createPlan(
  server: Server,
  bucket: Bucket,
  prober: Prober,
  bundled: Suite,
  selection: Selection,
): Plan {
  const about = aboutOf(server, bucket);
  const written = bundled.vectors.filter(({ operation }) => operation.startsWith('verify-'));
  const own = ownVectors(about);
  const suite = { ...bundled, vectors: [...written, ...own] };
  const vectors = selectVectors(suite, selection);
  const isWhole = vectors.length === suite.vectors.length;
  const isOwn = (vector: Vector): boolean => own.includes(vector);
  const probe = {
    origin: server.url.origin,
    dialect: dialectName(server.dialect),
    ...questionsAbout(
      about,
      vectors.filter((vector) => !isOwn(vector)),
      vectors.filter(isOwn),
      prober,
    ),
    forgeries: () =>
      isWhole ? serverForgeries(bundled, about, prober) : { forgeries: [], unshown: [] },
    otherDialect: () => otherDialect(server, bucket, prober, written),
    notes: clockNotes(bucket),
  };
  return { suite, vectors, probe };
}

/** Asks about one request of each file operation in every other dialect. */
async function otherDialect(
  server: Server,
  bucket: Bucket,
  prober: Prober,
  written: readonly Vector[],
): Promise<string | undefined> {
  const ofFiles = simplest(written.filter(({ operation }) => /url|authorization/.test(operation)));
  for (const dialect of otherDialects(server.dialect)) {
    const own = prober.inDialect(dialect);
    const { asked } = questionsAbout(aboutOf({ ...server, dialect }, bucket), ofFiles, [], own);
    const replies = await own.ask(simplest(asked).map(toQuestion));
    const kinds = replies.map(({ kind }) => kind);
    if (kinds.includes('result') && !kinds.includes('refused')) return dialectName(dialect);
  }
  return undefined;
}

function aboutOf({ keys, dialect, fileHost, url }: Server, { name, now }: Bucket): Target {
  const scheme = url.protocol.replace(':', '');
  const seconds = now ?? Math.floor(Date.now() / 1000);
  return { keys, dialect, fileHost, scheme, bucket: name, now: seconds };
}

/** Correct clocks that show whole seconds can differ by one. */
function clockNotes({ now, ahead }: Bucket): readonly string[] {
  if (now === undefined) {
    return ['the server sends no Date, so expiry was asked about by the clock of this machine'];
  }
  if (Math.abs(ahead) < 2) return [];
  const where = ahead < 0 ? 'behind' : 'ahead of';
  return [
    `the clock of the server is ${Math.abs(ahead)} s ${where} the one of this machine; expiry was asked about by the server's`,
  ];
}
