// Packs the package, installs it into an empty project without development dependencies, and uses it from there.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-package-'));
const inFolder = (command, ...parameters) =>
  execFileSync(command, parameters, { cwd: folder, encoding: 'utf8' });

try {
  const [packed] = JSON.parse(
    execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      encoding: 'utf8',
    }),
  );
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
  const { size, files } = packed;
  const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
  console.log(
    `the package works: ${files.length} files, ${Math.round(size / 1024)} KiB packed, ${Object.keys(dependencies).length} dependencies`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
