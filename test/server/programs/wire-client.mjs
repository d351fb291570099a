/** A client that puts, gets and deletes, and makes the mistakes that it is told; `once` puts one file alone. */
import { act, ask } from './wire-requests.mjs';

const isOnce = process.argv.includes('once');
const mistakes = process.argv.slice(2).filter((word) => word !== 'once');

await ask('PUT', 'a.txt', { type: 'text/plain', body: 'a', mistakes });
if (isOnce) process.exit();
await ask('PUT', 'b c.txt', { notes: ['1', '2'], body: 'b', mistakes });
await ask('GET', 'b c.txt', { mistakes });
await ask('GET', 'a.txt', { notes: ['1', '2'], mistakes });
await ask('DELETE', 'a.txt', { mistakes });
await act({ Action: 'DescribeBucket', BucketName: process.env.SVC_BUCKET });
