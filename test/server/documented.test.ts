import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ACTIONS } from '../../reference/server/actions/handle-action.ts';
import { OPERATIONS } from '../../reference/server/files/operations.ts';
import {
  ACTION_ERRORS,
  type ErrorRow,
  FILE_ERRORS,
} from '../../reference/server/messages/errors.ts';

const readDocument = (name: string): string =>
  readFileSync(new URL(`../../reference/server/${name}`, import.meta.url), 'utf8');

const CHOICES = readDocument('CHOICES.md');
const README = readDocument('README.md');

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

test('README.md lists the served operations in the order in which they are tried, and the actions', () => {
  const listed = [...README.matchAll(/^\| ([A-Z]+) \| (.+) \|$/gm)].flatMap(
    ([, method, row = '']) =>
      row
        .replaceAll(/ \([^)]*\)/g, '')
        .split(', ')
        .map((name) => [method, name]),
  );
  expect(listed).toEqual(OPERATIONS.map(([method, { name }]) => [method, name]));
  const actions = /^The actions of the account API are (.+)\.$/m.exec(README)?.[1];
  expect(actions?.split(', ')).toEqual(ACTIONS.map(({ name }) => name));
});
