/**
 * What a probe is about: of all that a server can be asked, what is chosen.
 *
 * @module
 */
import { dialectName, otherDialects } from '../dialects.ts';
import { questionOf } from '../run.ts';
import { type Selection, selectedVectors } from '../suite/select.ts';
import type { Suite, Vector } from '../suite/vector.ts';
import { serverForgeries } from './asked-forgeries.ts';
import type { Bucket } from './own-bucket.ts';
import type { About } from './own-vector.ts';
import type { Prober } from './prober.ts';
import { type Probe, simplest } from './probing.ts';
import { ownVectors, questionsAbout } from './questions.ts';
import type { Server } from './server.ts';

export interface Plan {
  /** The verify vectors, and those that only a server can be asked. */
  readonly suite: Suite;
  /** Those of them that are chosen. */
  readonly vectors: readonly Vector[];
  readonly probe: Probe;
}

/** @param bundled the suite of the package */
export function planOf(
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
  const vectors = selectedVectors(suite, selection);
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

/** Asks one request of each file operation in the words of every other dialect. */
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
    const replies = await own.ask(simplest(asked).map(questionOf));
    const kinds = replies.map(({ kind }) => kind);
    if (kinds.includes('result') && !kinds.includes('refused')) return dialectName(dialect);
  }
  return undefined;
}

function aboutOf({ keys, dialect, fileHost, url }: Server, { name, now }: Bucket): About {
  const scheme = url.protocol.replace(':', '');
  const seconds = now ?? Math.floor(Date.now() / 1000);
  return { keys, dialect, fileHost, scheme, bucket: name, now: seconds };
}

/** Clocks that show whole seconds differ by one without being wrong. */
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
