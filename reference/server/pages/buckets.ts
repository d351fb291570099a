/**
 * The pages of the buckets, and the files in them.
 *
 * @module
 */
import { formatCount } from '../../wording.ts';
import type { Service } from '../authentication/service.ts';
import { SANDBOX } from '../files/downloads.ts';
import { listPage } from '../files/lists.ts';
import { fileError } from '../messages/errors.ts';
import type { Answer, WireRequest } from '../messages/exchange.ts';
import type { Bucket, StoredObject } from '../store/entries.ts';
import { type Html, html, showHidden } from './html.ts';
import { renderPage } from './page.ts';

/** Files are counted up to this number. */
const MOST_COUNTED = 1000;

/** Files and folders on a page. */
const ENTRIES_PER_PAGE = 200;

export async function renderBuckets({ store, accounts }: Service): Promise<string> {
  const buckets = await store.buckets();
  const rows = await Promise.all(
    buckets.map(async (bucket) => {
      const range = { prefix: '', after: '', limit: MOST_COUNTED + 1 };
      const { length } = await store.objects(bucket.name, range);
      return renderBucket(bucket, describeFileCount(length), accounts.length > 1);
    }),
  );
  const count = html`<p>${formatCount(buckets.length, 'bucket')}</p>`;
  const none = html`<p>There is no bucket yet. Start the server with <code>--bucket NAME</code>, or send CreateBucket.</p>`;
  return renderPage(
    'Buckets',
    count,
    rows.length === 0 ? none : html`<ul class="entries buckets">${rows}</ul>`,
  );
}

function describeFileCount(count: number): string {
  if (count > MOST_COUNTED) return `more than ${MOST_COUNTED} files`;
  return formatCount(count, 'file');
}

function renderBucket({ name, type, owner }: Bucket, files: string, isShared: boolean): Html {
  const account = isShared
    ? html`<span class="quiet">of ${showHidden(owner ?? 'every account')}</span>`
    : html``;
  return html`<li><a href="${pageAddress({ bucket: name })}">${name}</a> <span class="quiet">${type}</span> <span class="quiet">${files}</span> ${account}</li>
`;
}

interface Place {
  readonly bucket: string;
  /** A folder with its last slash; empty for the whole bucket. */
  readonly prefix?: string;
  /** The last entry of the page before. */
  readonly after?: string;
}

function pageAddress({ bucket, prefix = '', after = '' }: Place): string {
  const further = [
    ...(prefix === '' ? [] : [`&prefix=${encodeURIComponent(prefix)}`]),
    ...(after === '' ? [] : [`&after=${encodeURIComponent(after)}`]),
  ];
  return `/-/bucket?name=${encodeURIComponent(bucket)}${further.join('')}`;
}

export async function renderBucketPage(service: Service, { query }: WireRequest): Promise<string> {
  const parameters = new URLSearchParams(query);
  const bucket = await findBucket(service, parameters.get('name'));
  const prefix = parameters.get('prefix') ?? '';
  const page = await listPage(service.store, bucket.name, {
    prefix,
    delimiter: '/',
    marker: parameters.get('after') ?? '',
    limit: ENTRIES_PER_PAGE,
  });
  const rows = [
    ...page.directories.map((directory) => renderFolder(bucket.name, directory, prefix)),
    ...page.objects.map((object) => renderFile(object, prefix)),
  ];
  const next = page.isTruncated
    ? html`<p><a href="${pageAddress({ bucket: bucket.name, prefix, after: page.nextMarker })}">further files</a></p>`
    : html``;
  const content =
    rows.length === 0 ? html`<p>No files here.</p>` : html`<ul class="entries">${rows}</ul>${next}`;
  return renderPage(`Bucket ${bucket.name}`, renderPath(bucket.name, prefix), content);
}

async function findBucket({ store }: Service, name: string | null): Promise<Bucket> {
  const bucket = await store.bucket(name ?? '');
  if (!bucket) throw fileError('bucketUnknown');
  return bucket;
}

/** The folders from the bucket down to this one, each a link; nothing for the bucket itself. */
function renderPath(bucket: string, prefix: string): Html {
  if (prefix === '') return html``;
  const names = prefix.split('/').slice(0, -1);
  const folders = names.map((name, at) => {
    const address = pageAddress({ bucket, prefix: `${names.slice(0, at + 1).join('/')}/` });
    return html` / <a href="${address}">${showHidden(name)}</a>`;
  });
  return html`<p class="path"><a href="${pageAddress({ bucket })}">${bucket}</a>${folders}</p>`;
}

function renderFolder(bucket: string, directory: string, prefix: string): Html {
  const address = pageAddress({ bucket, prefix: directory });
  return html`<li><a href="${address}">${showHidden(directory.slice(prefix.length))}</a></li>
`;
}

function renderFile(object: StoredObject, prefix: string): Html {
  const { bucket, key, size, contentType, etag, modifyTime } = object;
  const address = `/-/file?bucket=${encodeURIComponent(bucket)}&key=${encodeURIComponent(key)}`;
  const time = new Date(modifyTime * 1000).toISOString();
  return html`<li><a href="${address}">${showHidden(key.slice(prefix.length))}</a> <span class="quiet">${formatSize(size)}</span> <span class="quiet">${showHidden(contentType)}</span> <time datetime="${time}">${time.slice(0, 19).replace('T', ' ')}</time> <code class="quiet">${etag}</code></li>
`;
}

const UNITS = ['KiB', 'MiB', 'GiB'];

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

/** The bytes of a file, which run no scripts on the origin of the server. */
export async function answerFile(service: Service, { query }: WireRequest): Promise<Answer> {
  const parameters = new URLSearchParams(query);
  const bucket = await findBucket(service, parameters.get('bucket'));
  const object = await service.store.object(bucket.name, parameters.get('key') ?? '');
  const pieces = object && (await service.store.read(object, 0, object.size));
  if (!object || !pieces) throw fileError('fileUnknown');
  const { contentType, size } = object;
  return {
    status: 200,
    headers: [['Content-Type', contentType], SANDBOX],
    body: { length: size, pieces },
    code: 0,
  };
}
