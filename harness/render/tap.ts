/**
 * TAP 14, the Test Anything Protocol: a subtest for each adapter, a test point for each vector.
 *
 * @module
 */
import { type Case, type CaseSuite, isWrong, listSuites } from './cases.ts';
import { harmless } from './harmless.ts';
import { createReporter, type Reporter } from './reporter.ts';

const INDENT = '    ';

export function tap(): Reporter {
  return createReporter((results) => {
    const suites = listSuites(results);
    const lines = ['TAP version 14', ...suites.flatMap(subtest), `1..${suites.length}`];
    return lines.map((line) => `${line}\n`).join('');
  });
}

function subtest({ name, seed, cases }: CaseSuite, i: number): readonly string[] {
  const lines = [
    ...(seed === undefined ? [] : [`# seed of the fresh data: ${seed}`]),
    ...cases.flatMap(testPoint),
    `1..${cases.length}`,
  ];
  return [
    `# Subtest: ${described(name)}`,
    ...lines.map((line) => INDENT + line),
    `${cases.some(isWrong) ? 'not ok' : 'ok'} ${i + 1} - ${described(name)}`,
  ];
}

function testPoint(one: Case, i: number): readonly string[] {
  const { name, end, message = '' } = one;
  const skip = end === 'skipped' ? ` # SKIP ${described(message)}` : '';
  const point = `${isWrong(one) ? 'not ok' : 'ok'} ${i + 1} - ${described(name)}${skip}`;
  return isWrong(one) ? [point, ...diagnostics(one)] : [point];
}

/** The details of a failure as a YAML block, with texts as JSON strings. */
function diagnostics({ end, type, message = '', text = '' }: Case): readonly string[] {
  const members = { severity: end, status: type ?? end, message, details: text };
  const lines = Object.entries(members)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key}: ${JSON.stringify(value?.toWellFormed())}`);
  return ['---', ...lines, '...'].map((line) => `  ${line}`);
}

/** A text on one line, escaped so that it cannot start a directive. */
function described(text: string): string {
  return harmless(text).trim().replaceAll(/[\\#]/g, '\\$&');
}
