import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findStaleSources } from '../current-build.ts';
import { folderOfTest } from '../temporary-folder.ts';

test('a source is stale if its compiled file is older or missing', () => {
  const folder = folderOfTest();
  const write = (path: string, seconds: number, text = ''): void => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, seconds, seconds);
  };
  write('tsconfig.build.json', 1, '{ "include": ["own/deep"] }');
  write('own/deep/a.ts', 100);
  write('dist/own/deep/a.js', 100);
  write('own/deep/types.d.ts', 300);
  write('own/other.ts', 300);
  expect(findStaleSources(folder)).toEqual([]);
  write('own/deep/a.ts', 101);
  write('own/deep/er/b.ts', 1);
  expect(findStaleSources(folder).toSorted()).toEqual([
    join('own', 'deep', 'a.ts'),
    join('own', 'deep', 'er', 'b.ts'),
  ]);
});
