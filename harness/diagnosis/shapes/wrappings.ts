/**
 * A right answer with something around it that is not part of it.
 *
 * @module
 */
import { changedBy, type Rewriting } from './rewriting.ts';

function without(pattern: RegExp): Rewriting['undone'] {
  // What is due may begin or end so itself.
  return (text, due) =>
    pattern.test(due.text) ? undefined : changedBy((one) => one.replace(pattern, ''))(text, due);
}

function jsonText(text: string): string | undefined {
  if (!/^".*"$/s.test(text)) return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}

const NOTHING_BEHIND = 'write nothing behind it';
const NOTHING_IN_FRONT = 'write nothing in front of it';

export const WRAPPINGS: readonly Rewriting[] = [
  {
    id: 'line-end',
    what: 'with a line end behind it',
    fix: NOTHING_BEHIND,
    undone: without(/(?<![\r\n])[\r\n]+$/),
    telling: true,
  },
  {
    id: 'nul',
    what: 'with a NUL behind it',
    fix: NOTHING_BEHIND,
    undone: without(/(?<!\0)\0+$/),
    telling: true,
  },
  {
    id: 'blank-behind',
    what: 'with a blank behind it',
    fix: NOTHING_BEHIND,
    undone: without(/(?<![ \t])[ \t]+$/),
    telling: true,
  },
  {
    id: 'blank-in-front',
    what: 'with white space in front of it',
    fix: NOTHING_IN_FRONT,
    undone: without(/^[ \t\r\n]+/),
    telling: true,
  },
  {
    id: 'byte-order-mark',
    what: 'with a byte order mark in front of it',
    fix: NOTHING_IN_FRONT,
    undone: without(/^\ufeff/),
    telling: true,
  },
  {
    id: 'line-broken',
    what: 'broken into lines',
    fix: 'write it on one line',
    undone: (text, due) =>
      due.stage === 'body' || /[\r\n]/.test(due.text)
        ? undefined
        : changedBy((one) => one.replaceAll(/[\r\n]+/g, ''))(text, due),
    telling: true,
  },
  {
    id: 'double-quotes',
    what: 'in double quotes',
    fix: 'write it without quotes',
    undone: (text, due) => (due.text.startsWith('"') ? undefined : jsonText(text)),
    telling: true,
  },
  {
    id: 'single-quotes',
    what: 'in single quotes',
    fix: 'write it without quotes',
    undone: without(/^'|'$/g),
    telling: true,
  },
  {
    id: 'python-bytes',
    what: "as Python shows bytes, b'…'",
    fix: 'decode the bytes to text first',
    undone: changedBy((text) => text.replaceAll(/b(['"])([^'"]*)\1/g, '$2')),
    telling: true,
  },
];
