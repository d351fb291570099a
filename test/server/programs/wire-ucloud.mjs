/** A client of the dialect ucloud that asks the endpoint itself, whatever the dialect of the service is. */
import { ask } from './wire-requests.mjs';

const { host } = new URL(process.env.SVC_ENDPOINT);

await ask('PUT', 'a.txt', { host, body: 'a' });
await ask('PUT', 'b c.txt', { host, notes: ['1', '2'], body: 'b' });
await ask('GET', 'b c.txt', { host });
await ask('GET', 'a.txt', { host, notes: ['1', '2'] });
