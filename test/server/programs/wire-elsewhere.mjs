/** A client that asks somebody else. */
import { ask } from './wire-requests.mjs';

await ask('GET', 'a.txt', { host: 'www.example.com' });
