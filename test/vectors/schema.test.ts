import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { packageVersion } from '../../dist/harness/suite/package-root.js';
import {
  adapterManifest,
  hello,
  kitInit,
  question,
} from '../../dist/harness/suite/schema/data-validators.js';
import { OPERATIONS, resultStages } from '../../dist/reference/operations.js';

interface Definitions {
  readonly $defs: Readonly<
    Record<string, { readonly required?: readonly string[]; readonly enum?: readonly string[] }>
  >;
}

function schema(
  name: string,
): Definitions & { readonly properties?: Readonly<Record<string, { enum?: readonly string[] }>> } {
  return JSON.parse(readFileSync(`schema/${name}.schema.json`, 'utf8'));
}

test('each operation has the same members and stages in the schema as in the table, in the same order', () => {
  const { $defs } = schema('operations');
  const published = Object.keys(OPERATIONS).map((name) => [
    name,
    $defs[`input.${name}`]?.required,
    $defs[`expect.${name}`]?.required,
  ]);
  const rows = Object.entries(OPERATIONS).map(([name, { input, stages }]) => [name, input, stages]);
  expect(published).toEqual(rows);
});

test('the operations are the same in the schemas as in the table', () => {
  const names = Object.keys(OPERATIONS);
  expect(schema('vectors').properties?.['operation']?.enum).toEqual(names);
  const protocol = JSON.stringify(schema('protocol'));
  const lists = protocol.split(JSON.stringify(names)).length - 1;
  expect(lists).toBe(2);
});

test('PROTOCOL.md lists the operations, their members and their results as the table does', () => {
  const page = readFileSync('adapters/PROTOCOL.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)`[^|]*\|([^|]*)\|([^|]*)\|/gm)];
  const listed = rows
    .filter(([, name = '']) => name in OPERATIONS)
    .map(([, name, members = '', results = '']) => {
      const all = members.replace(/^ as `authorization`, and/, ' method, bucket, key, headers,');
      return [name, namesIn(all), namesIn(results)];
    });
  const table = Object.entries(OPERATIONS).map(([name, { input }]) => [
    name,
    input,
    [...resultStages(name)].sort(),
  ]);
  expect(
    listed.map(([name, members, results]) => [name, members, [...(results ?? [])].sort()]),
  ).toEqual(table);
});

/** The names in a cell of the table: each ends at a comma, a colon or the end of the cell. */
function namesIn(cell: string): readonly string[] {
  return cell.split(',').map((part) => (part.split(':')[0] ?? '').trim());
}

test('every reason in the schema except "text" is the reason of a vector', () => {
  const reasons = schema('vectors').$defs['reason']?.enum ?? [];
  const used = new Set(
    bundledSuite().vectors.flatMap(({ refuse, accept }) => [
      refuse?.reason,
      ...Object.values(accept ?? {}).map((answer) => answer.refuse?.reason),
    ]),
  );
  expect(reasons.filter((reason) => !used.has(reason))).toEqual(['text']);
});

test('the messages that the harness sends fit the schema of the protocol', () => {
  const dialect = { scheme: 'Svc', headerPrefix: 'X-Svc-', publicKeyParameter: 'SvcPublicKey' };
  expect(hello({ protocol: 1, dialect })).toBe(true);
  expect(hello({ protocol: 2, dialect })).toBe(false);
  const wrong = bundledSuite().vectors.filter(
    ({ operation, keys, input }, i) => !question({ n: i + 1, operation, keys, input }),
  );
  expect(wrong.map(({ id }) => id)).toEqual([]);
  expect(
    question({ n: 1, operation: 'url-encode', keys: { publicKey: '', privateKey: '' }, input: {} }),
  ).toBe(false);
});

test('every adapter.json fits its schema, which requires a toolchain for a build', () => {
  const paths = ['adapters', 'adapters/sdk'].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name, 'adapter.json')),
  );
  const manifests = paths
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>);
  expect(manifests.filter((manifest) => !adapterManifest(manifest))).toEqual([]);
  const { toolchain, ...withoutToolchain } = manifests.find(({ name }) => name === 'go') ?? {};
  expect(toolchain).toBe('go');
  expect(adapterManifest(withoutToolchain)).toBe(false);
});

test('every init.json fits its schema, and the files that it names exist', () => {
  const kits = readdirSync('adapters')
    .map((name) => join('adapters', name))
    .filter((kit) => existsSync(join(kit, 'init.json')));
  expect(kits.length).toBeGreaterThan(4);
  for (const kit of kits) {
    const init = JSON.parse(readFileSync(join(kit, 'init.json'), 'utf8'));
    expect(kitInit(init), kit).toBe(true);
    expect(kitInit({ ...init, copies: ['../adapter.py'] }), kit).toBe(false);
    const files = [...init.copies, ...[init.fillIn, 'adapter.json'].map((f) => `template/${f}`)];
    expect(files.filter((file) => !existsSync(join(kit, file)))).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(kit, 'template/adapter.json'), 'utf8'));
    expect(adapterManifest(manifest), kit).toBe(true);
  }
});

test('the reference adapter has the version of the package', () => {
  expect(readFileSync('adapters/reference/adapter.ts', 'utf8')).toContain(
    `version: '${packageVersion()}'`,
  );
});
