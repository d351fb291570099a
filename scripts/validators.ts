/**
 * Compiles the JSON Schemas of `schema/` into plain functions, so that runs do not load ajv.
 *
 * @module
 */

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { minifySync } from 'rolldown/utils';
import { packagePath } from '../harness/suite/package-root.ts';
import { OPERATIONS } from '../reference/operations.ts';
import { hasMembers, parseJson } from '../reference/values.ts';

const FILES = [
  'operations',
  'protocol',
  'rules',
  'vectors',
  'adapter',
  'expectations',
  'matrix',
  'smoke',
  'init',
  'offline',
  'report',
  'results',
];

/** A schema, or a part of one, by the export name of its function. */
type Exports = Readonly<Record<string, string>>;

const PROTOCOL: Exports = {
  helloReply: 'protocol.schema.json#/$defs/helloReply',
  reply: 'protocol.schema.json#/$defs/reply',
};

const DATA: Exports = {
  rules: 'rules.schema.json',
  vectorFile: 'vectors.schema.json',
  adapterManifest: 'adapter.schema.json',
  expectations: 'expectations.schema.json',
  matrix: 'matrix.schema.json',
  smoke: 'smoke.schema.json',
  kitInit: 'init.schema.json',
  hello: 'protocol.schema.json#/$defs/hello',
  question: 'protocol.schema.json#/$defs/question',
  answersHeader: 'offline.schema.json#/$defs/answersHeader',
  answer: 'offline.schema.json#/$defs/answer',
  reportHeader: 'report.schema.json#/$defs/header',
  reportAdapter: 'report.schema.json#/$defs/adapter',
  reportOutcome: 'report.schema.json#/$defs/outcome',
  reportForged: 'report.schema.json#/$defs/forged',
  reportCause: 'report.schema.json#/$defs/cause',
  reportUnexplained: 'report.schema.json#/$defs/unexplained',
  reportFooter: 'report.schema.json#/$defs/footer',
  resultsSdk: 'results.schema.json#/$defs/sdk',
  resultsVector: 'results.schema.json#/$defs/result',
};

function compileSchemas(exports: Exports): string {
  const ajv = new Ajv2020({
    allErrors: true,
    strictTuples: false,
    strictTypes: false,
    code: { source: true, esm: true, lines: true },
  });
  for (const file of FILES) {
    const path = packagePath(`schema/${file}.schema.json`);
    const schema = parseJson(readFileSync(path, 'utf8'));
    if (!hasMembers(schema)) throw new Error(`${path} is not a JSON object`);
    ajv.addSchema(schema);
  }
  const code = standalone.default(ajv, exports);
  if (/\b(?:require|import)\b *\(?['"]/.test(code)) {
    throw new Error(
      'the compiled schemas contain an import; replace minLength and maxLength in the schema by a pattern',
    );
  }
  return code;
}

/** The exports for `input.<operation>` and `expect.<operation>`, and the table with these names, which are not valid identifiers. */
function createOperationExports(): { readonly exports: Exports; readonly table: string } {
  const names = Object.keys(OPERATIONS).flatMap((name) => [`input.${name}`, `expect.${name}`]);
  const identifier = (name: string): string => name.replace(/[.-]/g, '_');
  return {
    exports: Object.fromEntries(
      names.map((name) => [identifier(name), `operations.schema.json#/$defs/${name}`]),
    ),
    table: `export const operations = {${names.map((name) => `${JSON.stringify(name)}: ${identifier(name)}`).join(', ')}};\n`,
  };
}

/** Writes both modules and their declarations beside the compiled harness. */
export function writeValidators(): void {
  const { exports, table } = createOperationExports();
  const modules = {
    'protocol-validators': compileSchemas(PROTOCOL),
    'data-validators': compileSchemas({ ...DATA, ...exports }) + table,
  };
  for (const [name, code] of Object.entries(modules)) {
    const file = `dist/harness/suite/schema/${name}.js`;
    writeFileSync(packagePath(file), minifySync(file, code, { module: true }).code);
    copyFileSync(
      packagePath(`harness/suite/schema/${name}.d.ts`),
      packagePath(`dist/harness/suite/schema/${name}.d.ts`),
    );
  }
}
