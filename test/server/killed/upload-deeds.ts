/**
 * Operations of a lane on its multipart upload.
 *
 * @module
 */
import { bytesOf, type Deed, partEtagOf, SHARED, type Situation, type Text } from './lane.ts';

/** The size of every part but the last. */
const BLOCK = 4 * 1024 ** 2;

export function begin({ now, lane, random }: Situation): Deed | undefined {
  if (now.upload) return undefined;
  const key = `${lane}/in parts ${random(3)}`;
  return {
    becomes: { ...now, upload: { key, parts: [] } },
    act: (client) => client.ask({ bucket: SHARED, key, method: 'POST', query: 'uploads' }),
  };
}

/** Sends the first or the second part, which may have been sent before. */
export function sendPart({ now, random }: Situation): Deed | undefined {
  if (now.upload?.id === undefined) return undefined;
  const { id, key, parts } = now.upload;
  const number = parts.length === 0 ? 0 : random(2);
  const text: Text = [random(1e9), number === 0 ? BLOCK : 1 + random(100_000)];
  const query = `uploadId=${id}&partNumber=${number}`;
  return {
    becomes: {
      ...now,
      upload: { id, key, parts: [...parts.slice(0, number), text, ...parts.slice(number + 1)] },
    },
    act: (client) =>
      client.ask({ bucket: SHARED, key, method: 'PUT', query, body: bytesOf([text]) }),
  };
}

export function finish({ now }: Situation): Deed | undefined {
  const { upload, ...others } = now;
  if (upload?.id === undefined || upload.parts.length === 0) return undefined;
  const { id, key, parts } = upload;
  const query = `uploadId=${id}`;
  const body = Buffer.from(parts.map((text) => partEtagOf(bytesOf([text]))).join(','));
  return {
    becomes: { ...others, files: { ...now.files, [`${SHARED}/${key}`]: parts } },
    act: (client) => client.ask({ bucket: SHARED, key, method: 'POST', query, body }),
  };
}

export function abort({ now }: Situation): Deed | undefined {
  const { upload, ...becomes } = now;
  if (upload?.id === undefined) return undefined;
  const { id, key } = upload;
  const query = `uploadId=${id}`;
  return { becomes, act: (client) => client.ask({ bucket: SHARED, key, method: 'DELETE', query }) };
}
