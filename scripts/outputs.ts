/**
 * Updates the command outputs in README.md and the guides, the picture of a run, and the list of addresses of the site.
 *
 * `npm run outputs` writes them; `--check` writes nothing and fails if one is stale.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../harness/suite/package-root.ts';
import { ADDRESSES, addAddresses } from './outputs/addresses.ts';
import { runCommand } from './outputs/command.ts';
import { renewOutputs } from './outputs/markdown.ts';
import { drawTerminal } from './outputs/picture.ts';

const PICTURE = 'docs/cause.svg';
const PICTURED = 'run --level must --module docs/examples/signer.mjs';

/** In columns; GitHub shows pictures of about this width in full size. */
const WIDTH = 104;

const GUIDES = 'docs/guides';

async function createPicture(): Promise<string> {
  const output = await runCommand(PICTURED, WIDTH);
  const end = /CAUSE[\s\S]*?\n(?=\n)/.exec(output);
  if (!end) throw new Error(`${PICTURED} shows no cause`);
  const shown = output.slice(0, end.index + end[0].length);
  return drawTerminal(`$ npx svc-conformance ${PICTURED}\n${shown}`, WIDTH);
}

async function renew(path: string, create: (text: string) => Promise<string>): Promise<void> {
  const file = packagePath(path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const after = await create(before);
  if (after === before) return;
  if (process.argv[2] === '--check') {
    console.error(`${path} is stale; run \`npm run outputs\` and review the change`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, after);
    console.log(`${path} renewed`);
  }
}

process.chdir(packagePath('.'));
const guides = readdirSync(GUIDES).map((name) => `${GUIDES}/${name}`);
for (const path of ['README.md', ...guides.filter((name) => name.endsWith('.md'))]) {
  await renew(path, (text) => renewOutputs(text, runCommand));
}
await renew(PICTURE, createPicture);
await renew(ADDRESSES, async (text) => addAddresses(text));
