/**
 * Reads reports in JSON lines.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

export type Line = Readonly<Record<string, unknown>>;

/** Whether a line fits the schema of reports. */
export const fitsReport: (line: unknown) => boolean = new Ajv2020({ allErrors: true }).compile(
  JSON.parse(readFileSync('schema/report.schema.json', 'utf8')),
);

/** The values of JSON lines. */
export function linesIn(text: string): readonly Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** The lines of a report, after a check that each of them fits the schema and none is missing. */
export function reportLines(report: string): readonly Line[] {
  expect(report.endsWith('}\n')).toBe(true);
  const lines = linesIn(report);
  expect(lines.filter((line) => !fitsReport(line))).toEqual([]);
  expect(lines[0]?.['type']).toBe('header');
  expect(lines.at(-1)).toMatchObject({ type: 'footer', lines: lines.length });
  return lines;
}

export function ofType(lines: readonly Line[], ...types: readonly string[]): readonly Line[] {
  return lines.filter(({ type }) => types.includes(String(type)));
}
