/** A client that signs in several places, each of them wrong in another way; only what it puts is right. */
import { ask, presignedGet } from './wire-requests.mjs';

await ask('PUT', 'a.txt', { body: 'a' });
await ask('GET', 'a.txt', { mistakes: ['signature-in-hexadecimal'] });
await ask('GET', 'a.txt', { signedAs: 'PUT' });
await ask('GET', 'a.txt', { publicKey: 'nobody' });
await presignedGet('a.txt', Math.floor(Date.now() / 1000) - 60);
await ask('GET', 'a.txt', { isUnsigned: true });
