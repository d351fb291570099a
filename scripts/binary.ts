/**
 * Builds the binary: `node dist/scripts/binary.js [--node FILE] [--out FILE]`.
 *
 * It is a copy of Node with the program and its data inside, by Node's single executable application.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import {
  BUNDLE,
  BUNDLED_EFFECTS,
  BUNDLED_STEPS,
  FORGERIES,
  RULE_CODE,
} from '../harness/suite/bundle.ts';
import { BINARY_FILES, packagePath } from '../harness/suite/package-root.ts';
import { SITE } from '../harness/suite/site.ts';

/** Besides the adapters. */
const FILES = [
  'package.json',
  BUNDLE,
  BUNDLED_EFFECTS,
  BUNDLED_STEPS,
  FORGERIES,
  RULE_CODE,
  'dist/bin/etag-worker.cjs',
  'dist/bin/module-adapter.cjs',
];

/** What only a clone needs: installed SDKs, built programs, caches, the sources of the reference. */
const LEFT_OUT = /^(?:\.|__pycache__$)|\.ts$/;

/** The names that Node looks for in its own file. */
const RESOURCE = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const SEGMENT = 'NODE_SEA';

/**
 * Offsets in a Windows program of 64 bits: of the address of its header, and of the signature's place in that header.
 */
const WINDOWS = { header: 0x3c, signature: 0xa8 };

const { values } = parseArgs({
  options: {
    /** The program of Node that is copied; one for another platform has the version of this one. */
    node: { type: 'string', default: process.execPath },
    out: {
      type: 'string',
      default: packagePath(
        `dist/binary/svc-conformance${process.platform === 'win32' ? '.exe' : ''}`,
      ),
    },
  },
});

const folder = packagePath('dist/binary/parts');
mkdirSync(folder, { recursive: true });
await writeProgram(join(folder, 'program.cjs'));
writeBlob(folder);
await writeBinary(values.node, readFileSync(join(folder, 'blob')), values.out);
const { size } = statSync(values.out);
console.log(`${values.out}: ${Math.round(size / 1e6)} MB, Node ${process.versions.node}`);

/** All modules and packages in one file; what is imported late is still evaluated late. */
async function writeProgram(file: string): Promise<void> {
  const joined = await rolldown({
    input: packagePath('dist/harness/cli/binary.js'),
    platform: 'node',
    external: [/^node:/, 'classic-level'],
    resolve: { conditionNames: ['node', 'import'] },
  });
  await joined.write({ file, format: 'cjs', codeSplitting: false });
  await joined.close();
}

/** Lets Node join the program and the files. */
function writeBlob(parts: string): void {
  const names = [
    ...FILES,
    ...(existsSync(packagePath(SITE)) ? [SITE] : []),
    ...listBelow('adapters'),
  ];
  writeFileSync(join(parts, BINARY_FILES), JSON.stringify(names));
  const assets = Object.fromEntries(names.map((name) => [name, packagePath(name)]));
  const config = {
    main: join(parts, 'program.cjs'),
    output: join(parts, 'blob'),
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // The code as this Node compiled it; the Node of another platform would refuse it with a warning.
    useCodeCache: values.node === process.execPath,
    assets: { ...assets, [BINARY_FILES]: join(parts, BINARY_FILES) },
  };
  writeFileSync(join(parts, 'config.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', join(parts, 'config.json')]);
}

/** Every file below a folder of the package. */
function listBelow(path: string): readonly string[] {
  return readdirSync(packagePath(path), { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.test(name))
    .flatMap((entry) => {
      const inside = `${path}/${entry.name}`;
      return entry.isDirectory() ? listBelow(inside) : [inside];
    });
}

/** macOS starts signed programs only; elsewhere, a signature is left to the release. */
async function writeBinary(node: string, blob: Buffer, out: string): Promise<void> {
  mkdirSync(dirname(out), { recursive: true });
  copyFileSync(node, out);
  chmodSync(out, 0o755);
  const isSigned = process.platform === 'darwin' && isMacProgram(out);
  if (isSigned) execFileSync('codesign', ['--remove-signature', out]);
  removeWindowsSignature(out);
  await inject(out, RESOURCE, blob, { sentinelFuse: FUSE, machoSegmentName: SEGMENT });
  if (isSigned) execFileSync('codesign', ['--sign', '-', out]);
}

/** Node's signature does not fit the changed file. A program without a signature raises fewer alarms than one with a wrong one. */
function removeWindowsSignature(file: string): void {
  const bytes = readFileSync(file);
  if (bytes.toString('latin1', 0, 2) !== 'MZ') return;
  const place = bytes.readUInt32LE(WINDOWS.header) + WINDOWS.signature;
  const start = bytes.readUInt32LE(place);
  bytes.fill(0, place, place + 8);
  // The signature is the end of the file.
  writeFileSync(file, start === 0 ? bytes : bytes.subarray(0, start));
}

function isMacProgram(file: string): boolean {
  return readFileSync(file).readUInt32LE() === 0xfeedfacf;
}
