import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  ACTION_ERRORS,
  type ErrorRow,
  FILE_ERRORS,
} from '../../reference/server/messages/errors.ts';

const CHOICES = readFileSync(new URL('../../reference/server/CHOICES.md', import.meta.url), 'utf8');

function rowsOf(errors: Readonly<Record<string, ErrorRow>>): readonly string[] {
  return Object.entries(errors).flatMap(([name, { status, code, message, published = [] }]) => {
    const parts = ['status', 'code', 'message'] as const;
    const chosen = parts.filter((part) => !published.includes(part));
    if (chosen.length === 0) return [];
    return [`| ${name} | ${status} | ${code} | \`${message}\` | ${chosen.join(', ')} |`];
  });
}

test('CHOICES.md lists exactly the parts of errors that are not published', () => {
  const listed = CHOICES.split('\n').filter((line) => /^\| [a-zA-Z]+ \| [0-9]{3} /.test(line));
  expect(listed).toEqual([...rowsOf(FILE_ERRORS), ...rowsOf(ACTION_ERRORS)]);
});
