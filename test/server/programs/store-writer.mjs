// Writes to a store without end: says what an entry is about to become, and then that it has become so.
// It is given a folder, a seed and, for each lane, the entries that are there.
import { writeSync } from 'node:fs';
import { openDurableStore } from '../../../dist/reference/server/store/durable-store.js';
import { etag, SPECIFICATION } from '../../../dist/reference/signing/index.js';

const [folder, seed, lanes] = process.argv.slice(2);
const BUCKET = 'b';
const SIZES = [0, 10, 1000, 100_000, 3_000_000];

let state = Number(seed);
/** Marsaglia's xorshift: below `count`. */
function random(count) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % count;
}

const store = await openDurableStore(folder, { context: SPECIFICATION });
await store.createBucket({ name: BUCKET, id: 'id', createTime: 1 });

const say = (message) => writeSync(1, `${JSON.stringify(message)}\n`);
const bytesOf = ([number, size]) => Buffer.alloc(size, `content ${number}, `);
const fresh = () => [random(1e9), SIZES[random(SIZES.length)]];

async function* arriving(bytes) {
  for (let start = 0; start < bytes.length; start += 65_536) {
    yield await new Promise((resolve) => {
      setImmediate(() => resolve(bytes.subarray(start, start + 65_536)));
    });
  }
}

const held = (texts) => store.receive(arriving(Buffer.concat(texts.map(bytesOf))));

function objectOf(key, texts, contents) {
  const bytes = Buffer.concat(texts.map(bytesOf));
  const sum = etag(bytes, SPECIFICATION).etag;
  return { bucket: BUCKET, key, etag: sum, size: bytes.length, contents };
}

/** Each thing that can be done to the entries of a lane: what they become, and how; nothing where it cannot be done now. */
const DEEDS = {
  put({ lane, entries }) {
    const texts = [fresh()];
    const act = async () => store.putObject(objectOf(`${lane}/a`, texts, [await held(texts)]));
    return { becomes: { ...entries, a: texts }, act };
  },
  delete({ lane, entries: { a, ...others } }) {
    return a && { becomes: others, act: () => store.deleteObject(BUCKET, `${lane}/a`) };
  },
  rename({ lane, entries: { a, ...others } }) {
    const act = () => store.renameObject(BUCKET, `${lane}/a`, `${lane}/b`, true);
    return a && { becomes: { ...others, b: a }, act };
  },
  copy({ lane, entries }) {
    const { a } = entries;
    const act = async () => {
      const original = await store.object(BUCKET, `${lane}/a`);
      const contents = await store.duplicate(original);
      return store.putObject({ ...original, key: `${lane}/b`, contents });
    };
    return a && { becomes: { ...entries, b: a }, act };
  },
  create({ lane, entries }) {
    if (entries.parts) return undefined;
    const upload = { id: `upload-${lane}`, bucket: BUCKET, key: `${lane}/a` };
    return { becomes: { ...entries, parts: {} }, act: () => store.createUpload(upload) };
  },
  part({ lane, entries }) {
    if (!entries.parts) return undefined;
    const [number, text] = [random(3), fresh()];
    const act = async () =>
      store.putPart(`upload-${lane}`, { number, content: await held([text]), modifyTime: 1 });
    return { becomes: { ...entries, parts: { ...entries.parts, [number]: text } }, act };
  },
  finish({ lane, entries: { parts, ...others } }) {
    if (!parts) return undefined;
    const texts = Object.values(parts);
    const act = async () => {
      const contents = (await store.parts(`upload-${lane}`)).map(({ content }) => content);
      return store.finishUpload(`upload-${lane}`, objectOf(`${lane}/a`, texts, contents));
    };
    return { becomes: { ...others, a: texts }, act };
  },
  abort({ lane, entries: { parts, ...others } }) {
    return parts && { becomes: others, act: () => store.abortUpload(`upload-${lane}`) };
  },
};

const WELL = new Set(['put', 'deleted', 'renamed', 'created', 'finished', 'aborted']);
const NAMES = [
  'put',
  'put',
  'put',
  'delete',
  'rename',
  'copy',
  'create',
  'part',
  'part',
  'part',
  'finish',
  'abort',
];

async function write(lane, start) {
  for (let entries = start; ; ) {
    const deed = DEEDS[NAMES[random(NAMES.length)]]({ lane, entries });
    if (!deed) continue;
    say({ lane, becomes: deed.becomes });
    const result = await deed.act();
    if (!WELL.has(result)) throw new Error(`lane ${lane}: ${result}`);
    say({ lane });
    entries = deed.becomes;
  }
}

await Promise.all(JSON.parse(lanes).map((entries, lane) => write(lane, entries)));
