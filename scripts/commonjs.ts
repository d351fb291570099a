/**
 * Writes the files for `require`: a module that loads the ES module, and declarations with the extension of CommonJS.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packagePath } from '../harness/suite/package-root.ts';

/** The ES module that CommonJS loads, too, by its path in `dist`. */
const MODULE = 'reference/signing/index';

/** The declarations that package.json names. */
const DECLARATIONS = [
  MODULE,
  'harness/respondents/serve/start',
  'harness/respondents/module/signer',
  'harness/cli/frameworks/jest',
  'harness/cli/frameworks/node-test',
];

export function writeCommonJs(): void {
  // Node loads ES modules by `require` from 20.19 on, and both ways yield the same module.
  const text = `module.exports = require('./${basename(MODULE)}.js');\n`;
  writeFileSync(packagePath(`dist/${MODULE}.cjs`), text);
  const written = new Set<string>();
  for (const path of DECLARATIONS) writeDeclarations(packagePath(`dist/${path}`), written);
}

/** A relative module in an import, an export, the type of another file or an addition to it. */
const IMPORTED = /(from |import\(|declare module )(['"])(\.[^'"]+)\.(?:js|ts)\2/g;

/** Writes the declarations of a module and of all modules that they import. */
function writeDeclarations(path: string, written: Set<string>): void {
  if (written.has(path)) return;
  written.add(path);
  const text = readFileSync(`${path}.d.ts`, 'utf8');
  writeFileSync(`${path}.d.cts`, text.replaceAll(IMPORTED, '$1$2$3.cjs$2'));
  for (const [, , , module = ''] of text.matchAll(IMPORTED)) {
    writeDeclarations(join(dirname(path), module), written);
  }
}
