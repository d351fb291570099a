/**
 * Operations of a lane on its files.
 *
 * @module
 */
import { pick } from '../../../bench/load/random.ts';
import { bytesOf, type Deed, SHARED, type Situation, type Text } from './lane.ts';

const SIZES = [0, 10, 1000, 1000, 70_000, 70_000, 300_000, 3_000_000];

/** Keys of a lane in each bucket: few, so that files are overwritten, but hundreds in total. */
const KEYS = 60;

export function put(situation: Situation): Deed {
  const { now, random } = situation;
  const name = anyName(situation);
  const text: Text = [random(1e9), pick(SIZES, random)];
  return {
    becomes: { ...now, files: { ...now.files, [name]: [text] } },
    act: (client) => client.ask({ ...placeOf(name), method: 'PUT', body: bytesOf([text]) }),
  };
}

export function remove({ now, random }: Situation): Deed | undefined {
  const names = Object.keys(now.files);
  if (names.length === 0) return undefined;
  const name = pick(names, random);
  const { [name]: _, ...files } = now.files;
  return {
    becomes: { ...now, files },
    act: (client) => client.ask({ ...placeOf(name), method: 'DELETE' }),
  };
}

export function copy(situation: Situation): Deed | undefined {
  const { now, random } = situation;
  const names = Object.keys(now.files);
  if (names.length === 0) return undefined;
  const source = pick(names, random);
  const target = anyName(situation);
  const headers = [['X-Ufile-Copy-Source', `/${source}`]] as const;
  return {
    becomes: { ...now, files: { ...now.files, [target]: now.files[source] ?? [] } },
    act: (client) => client.ask({ ...placeOf(target), method: 'PUT', headers }),
  };
}

/** The name of a file that may or may not exist. */
function anyName({ now, lane, random }: Situation): string {
  return `${pick([SHARED, SHARED, ...now.buckets], random)}/${lane}/${random(KEYS)}`;
}

function placeOf(name: string): { readonly bucket: string; readonly key: string } {
  const slash = name.indexOf('/');
  return { bucket: name.slice(0, slash), key: name.slice(slash + 1) };
}
