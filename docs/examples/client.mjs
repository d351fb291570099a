// A client with one mistake: it signs the URL-encoded key.
import { createHmac } from 'node:crypto';

const { SVC_ENDPOINT, SVC_PUBLIC_KEY, SVC_PRIVATE_KEY, SVC_BUCKET } = process.env;

async function put(key, text) {
  const stringToSign = `PUT\n\ntext/plain\n\n/${SVC_BUCKET}/${encodeURI(key)}`;
  const signature = createHmac('sha1', SVC_PRIVATE_KEY).update(stringToSign).digest('base64');
  await fetch(`${SVC_ENDPOINT}/${encodeURI(key)}`, {
    method: 'PUT',
    headers: {
      'Content-Type': 'text/plain',
      Authorization: `UCloud ${SVC_PUBLIC_KEY}:${signature}`,
    },
    body: text,
  });
}

await put('plain.txt', 'one');
await put('a b.txt', 'two');
