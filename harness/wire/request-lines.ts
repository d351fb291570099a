/**
 * One request in lines: what was sent, what should have been signed, and where the signatures differ.
 *
 * @module
 */
import { differenceLines } from '../report/difference-lines.ts';
import { visible, visibleWithin } from '../report/excerpt.ts';
import { type Terminal, wrapped } from '../report/terminal.ts';
import type { Outcome } from '../run.ts';
import { answerText } from './outcome.ts';

/** Longer texts of a line are cut; in characters. */
const LONGEST = 200;

/** `PUT http://… answered 403 -148658`. */
export function requestLine({ sent }: Outcome): string {
  if (!sent) return '';
  const { method, url } = sent;
  const line = method === '' ? 'no request' : `${method} ${url}`;
  return `${cut(visibleWithin(line))} answered ${answerText(sent)}`;
}

/** The request, its string to sign as numbered lines, and the difference of the signatures. */
export function requestLines(outcome: Outcome, out: Terminal, indent: string): readonly string[] {
  const { verdict, sent } = outcome;
  const rows = (sent?.lines ?? []).map(({ name, text, origin }, i) => [
    `${i + 1}`,
    visibleWithin(name),
    cut(visible(text.replace(/\n$/, ''))),
    visibleWithin(origin),
  ]);
  const widths = [0, 1, 2].map((column) =>
    Math.min(60, Math.max(0, ...rows.map((cells) => (cells[column] ?? '').length))),
  );
  return [
    wrapped(requestLine(outcome), out.width, indent),
    ...(rows.length === 0 ? [] : [`${indent}string to sign`]),
    ...rows.map((cells) =>
      `${indent}${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd(),
    ),
    ...(verdict.difference ? differenceLines(verdict.difference, out, indent) : []),
  ];
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
