import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ACTION_ERRORS, type ErrorRow, FILE_ERRORS } from '../../reference/server/errors.ts';

const README = readFileSync(new URL('../../reference/server/README.md', import.meta.url), 'utf8');

function rowsOf(errors: Readonly<Record<string, ErrorRow>>): readonly string[] {
  return Object.entries(errors).flatMap(([name, { status, code, message, chosen }]) =>
    chosen.length === 0
      ? []
      : [`| ${name} | ${status} | ${code} | \`${message}\` | ${chosen.join(', ')} |`],
  );
}

test('what is chosen about errors is what README lists, and nothing else', () => {
  const listed = README.split('\n').filter((line) => /^\| [a-zA-Z]+ \| [0-9]{3} /.test(line));
  expect(listed).toEqual([...rowsOf(FILE_ERRORS), ...rowsOf(ACTION_ERRORS)]);
});
