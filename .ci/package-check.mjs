// Packs the package, installs it into an empty project without development dependencies, and uses it from there.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Of the package with its site and all that it needs, without the optional package for data folders. */
const MOST_PACKAGES = 1;
const MOST_BYTES = 10e6;

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-package-'));
const inFolder = (command, ...parameters) =>
  execFileSync(command, parameters, { cwd: folder, encoding: 'utf8' });

/** Runs a linter of this repository on the packed package; its standard output names what is wrong. */
function lint(name, ...parameters) {
  const { bin } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'));
  const program = join('node_modules', name, Object.values(bin)[0]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...parameters], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} reports ${stdout}${stderr}`);
}

/** The packages below a node_modules folder, each with the sum of its files in bytes. */
function installedPackages(modules) {
  const folders = readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((own) => join(name, own))
        : [name],
    );
  return folders.map((name) => {
    const files = readdirSync(join(modules, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
    return { name, bytes: files.reduce((sum, size) => sum + size, 0) };
  });
}

try {
  const [packed] = JSON.parse(
    execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      encoding: 'utf8',
    }),
  );
  if (!packed.files.some(({ path }) => path === 'dist/site.br'))
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
  const tarball = join(folder, packed.filename);
  lint('publint', 'run', tarball, '--strict');
  // The modules exist for Node 16 and later only; vitest cannot be loaded by require, so its helper cannot either.
  lint('@arethetypeswrong/cli', tarball, '--profile', 'node16', '--exclude-entrypoints', 'vitest');
  lint('@arethetypeswrong/cli', tarball, '--profile', 'esm-only', '--entrypoints', 'vitest');
  inFolder(npm, 'install', '--omit=dev', '--omit=peer', '--omit=optional', tarball);
  const installed = installedPackages(join(folder, 'node_modules'));
  const bytes = installed.reduce((sum, one) => sum + one.bytes, 0);
  if (installed.length > MOST_PACKAGES || bytes > MOST_BYTES)
    throw new Error(
      `the installed package has ${installed.length} packages of ${bytes} bytes: ${JSON.stringify(installed)}`,
    );
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
  const unserved = spawnSync(process.execPath, [bin, 'serve', '--port', '0', '--data', 'data'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (
    unserved.status !== 2 ||
    !/: .* classic-level, .*npm install \S+, .*\n$/.test(unserved.stderr)
  )
    throw new Error(
      `without classic-level, serve --data ends as ${unserved.status}: ${unserved.stderr}`,
    );
  // As with vitest below: the package of this repository.
  const levelDb = 'node_modules/classic-level';
  symlinkSync(resolve(levelDb), join(folder, levelDb), 'junction');
  writeFileSync(
    join(folder, 'use.cjs'),
    `const { authorization } = require('svc-conformance/reference');
     const { startServer } = require('svc-conformance/server');
     const { conformance } = require('svc-conformance/node-test');
     console.log(typeof authorization, typeof startServer, typeof conformance);`,
  );
  const required = inFolder(process.execPath, join(folder, 'use.cjs')).trim();
  if (required !== 'function function function') throw new Error(`require gives ${required}`);
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
  if (!/all as expected in \d+ of \d+ vectors\n$/.test(judged))
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
    join(folder, 'use.cts'),
    `import reference = require('svc-conformance/reference');
     import { startServer } from 'svc-conformance/server';
     import type { Signer } from 'svc-conformance/signer';
     export const signer: Signer = { password: ({ text }) => Buffer.from(text).toString('base64') };
     export const keys: reference.KeyPair = { publicKey: 'p', privateKey: 'q' };
     export const start: Promise<{ readonly url: string }> = startServer({ port: 0 });`,
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { module: 'node16', strict: true, noEmit: true, types: ['node'] },
      include: ['*.ts', '*.cts'],
    }),
  );
  inFolder(process.execPath, resolve('node_modules/typescript/bin/tsc'), '-p', '.');
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const tested = inFolder(process.execPath, vitest, 'run', '--reporter=json');
  const { numPassedTests, numTotalTests } = JSON.parse(tested.slice(tested.indexOf('{"num')));
  if (!numTotalTests || numPassedTests !== numTotalTests)
    throw new Error(`of the tests of the helper for vitest ${numPassedTests} pass: ${tested}`);
  const { size, files } = packed;
  console.log(
    `the package works: ${files.length} files, ${Math.round(size / 1024)} KiB packed, ${installed.length} package of ${Math.round(bytes / 1e4) / 100} MB installed`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
