/**
 * The server with blocks of 1 KiB, and so with parts of 1 KiB: uploads of thousands of parts fit into memory.
 *
 * @module
 */
import { startServer } from '../../reference/server/server.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';

Object.assign(SPECIFICATION.steps, { blockSize: 1024 });
const { url } = await startServer({ port: 0, buckets: [{ name: 'load' }] });
process.stdout.write(`listens on ${url}\n`);
