/** A client that appends as the published SDK for PHP does: the query is signed with the key. */
import { ask } from './wire-requests.mjs';

const query = '?append&position=0';
await ask('PUT', 'a.txt', { query, signedKey: `a.txt${query}`, body: 'a' });
