import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drawCurve } from '../../bench/growth/draw.ts';

const FOLDER = fileURLToPath(new URL('../../bench/curves/', import.meta.url));
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

test.each(names)('the picture of %s is drawn from its current figures', (name) => {
  const read = (ending: string): string =>
    readFileSync(join(FOLDER, name.replace('.json', ending)), 'utf8');
  const picture = read('.svg');
  expect(picture).toBe(drawCurve(JSON.parse(read('.json'))));
  expect(picture.length).toBeLessThan(10_000);
});
