/**
 * The ETags of the files of a folder, each of one block, as most programs for Node compute them: with a stream.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ONE_BLOCK = Buffer.from([1, 0, 0, 0]);

async function computeEtag(path: string): Promise<string> {
  const hash = createHash('sha1');
  const pieces: AsyncIterable<Uint8Array> = createReadStream(path);
  for await (const piece of pieces) hash.update(piece);
  return Buffer.concat([ONE_BLOCK, hash.digest()]).toString('base64url');
}

const [, , folder = '.'] = process.argv;
let lines = '';
for (const name of readdirSync(folder).sort()) {
  const path = join(folder, name);
  lines += `${await computeEtag(path)}  ${path}\n`;
}
process.stdout.write(lines);
