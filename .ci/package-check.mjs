// Packs the package, installs it into an empty project without development dependencies, and uses it from there.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-package-'));
const inFolder = (command, ...parameters) =>
  execFileSync(command, parameters, { cwd: folder, encoding: 'utf8' });

try {
  const [packed] = JSON.parse(
    execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      encoding: 'utf8',
      // The list of files is long: the site has thousands.
      maxBuffer: 16 * 1024 * 1024,
    }),
  );
  if (!packed.files.some(({ path }) => path === 'dist/site/index.html'))
    throw new Error('the package has no site; run npm run site first');
  const strange = packed.files
    .map(({ path }) => path)
    .filter((path) => /\.venv|\.build|__pycache__|\.test\./.test(path));
  if (strange.length > 0)
    throw new Error(
      `the package has ${strange.length} files that are not its own, such as ${strange[0]}`,
    );
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "user", "version": "1.0.0", "type": "module" }',
  );
  inFolder(npm, 'install', '--omit=dev', '--omit=peer', join(folder, packed.filename));
  const bin = join(folder, 'node_modules', 'svc-conformance', 'dist', 'bin', 'svc-conformance.cjs');
  const output = inFolder(process.execPath, bin, 'run', '--adapter', 'reference');
  if (!output.trimEnd().endsWith('all as expected'))
    throw new Error(`the installed package says ${output}`);
  inFolder(process.execPath, bin, 'init', 'node', 'my-adapter');
  const begun = spawnSync(process.execPath, [bin, 'run', '--adapter', './my-adapter'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (begun.status !== 4 || !begun.stdout.includes('authorization() in signing.mjs'))
    throw new Error(`an adapter just begun ends as ${begun.status}: ${begun.stdout}`);
  writeFileSync(
    join(folder, 'use.mjs'),
    `import { authorization, SPECIFICATION } from 'svc-conformance/reference';
     const request = { method: 'GET', bucket: 'b', key: 'k', headers: [] };
     console.log(authorization(request, { publicKey: 'p', privateKey: 'q' }, SPECIFICATION).authorization);`,
  );
  const used = inFolder(process.execPath, join(folder, 'use.mjs')).trim();
  if (!/^Svc p:[A-Za-z0-9+/]{27}=$/.test(used)) throw new Error(`the reference gives ${used}`);
  writeFileSync(
    join(folder, 'serve.mjs'),
    `import { startServer } from 'svc-conformance/server';
     const server = await startServer({ port: 0, data: 'data', buckets: [{ name: 'demo', type: 'public' }] });
     const health = await fetch(server.url + '/-/health');
     const missing = await fetch(server.url + '/missing.txt');
     console.log(health.status, missing.status, server.exchanges().length);
     await server.close();`,
  );
  const served = inFolder(process.execPath, join(folder, 'serve.mjs')).trim();
  if (served !== '200 404 1') throw new Error(`the installed server says ${served}`);
  // A module judged by itself, and the same module in a suite of the user's own, written in TypeScript.
  writeFileSync(
    join(folder, 'signer.mjs'),
    `export const password = ({ text }) => Buffer.from(text).toString('base64');`,
  );
  const judged = inFolder(process.execPath, bin, 'run', '--module', 'signer.mjs', 'password');
  if (!judged.trimEnd().endsWith('all as expected'))
    throw new Error(`the installed package says of a module ${judged}`);
  // Vitest and the types of Node are those of this repository: nothing is downloaded a second time.
  for (const name of ['vitest', '@types'])
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction');
  writeFileSync(
    join(folder, 'signer.test.ts'),
    `import type { Signer } from 'svc-conformance/signer';
     import { conformance } from 'svc-conformance/vitest';
     const signer: Signer = { password: ({ text }) => Buffer.from(text).toString('base64') };
     conformance(signer, { operation: 'password', level: 'must' });`,
  );
  writeFileSync(
    join(folder, 'serve.ts'),
    `import { type RunningServer, startServer } from 'svc-conformance/server';
     export const server: RunningServer = await startServer({ port: 0, strict: true, limits: { connections: 9 } });
     export const codes: readonly number[] = server.exchanges().map(({ code }) => code);`,
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { module: 'nodenext', strict: true, noEmit: true, types: ['node'] },
      include: ['*.ts'],
    }),
  );
  inFolder(process.execPath, resolve('node_modules/typescript/bin/tsc'), '-p', '.');
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const tested = inFolder(process.execPath, vitest, 'run', '--reporter=json');
  const { numPassedTests, numTotalTests } = JSON.parse(tested.slice(tested.indexOf('{"num')));
  if (!numTotalTests || numPassedTests !== numTotalTests)
    throw new Error(`of the tests of the helper for vitest ${numPassedTests} pass: ${tested}`);
  const { size, files } = packed;
  const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
  console.log(
    `the package works: ${files.length} files, ${Math.round(size / 1024)} KiB packed, ${Object.keys(dependencies).length} dependencies`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
